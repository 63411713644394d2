package state

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/prose"
)

// clause is a part of a rule.
type clause struct {
	text    string
	content prose.Bag
	forbids bool
	orders  bool // orders or allows
}

// sameSubject reports whether two clauses set the same thing to different
// values. Where the later one says that it turns something over, one word in
// common that is not a value is enough.
func sameSubject(old, new clause, turns bool) bool {
	a, b := old.content, new.content
	shared := a.Shared(b)
	if len(shared) == 0 || len(shared) == len(a) && len(shared) == len(b) {
		return false
	}
	polar := old.forbids && new.orders || new.forbids && !old.forbids
	within := max(a.Within(b), b.Within(a))
	if turns {
		return within >= 0.3 && distinctive(shared)
	}
	if old.forbids && new.forbids {
		return false // one more thing is forbidden
	}
	// without a word that says so, nearly all but the value has to be the same
	return within >= 0.66 && len(shared) >= 2 && (valued(a, b) || polar) || within >= 0.5 && numbersDiffer(old.text, new.text) && len(shared) >= 2
}

// distinctive reports whether words say what something is about. Words that
// are in rules of every kind do not.
func distinctive(shared prose.Bag) bool {
	for w := range shared {
		if !common.Has(w) {
			return true
		}
	}
	return false
}

var common = lazy.Words{"us", "fil", "writ", "mak", "cod", "keep", "chang", "add", "new", "plea",
	"dat", "benutz", "verwend", "utilis", "utiliz", "файл", "文件", "ファイル", "파일", "使用", "사용", "one", "each", "every"}

// valued reports whether the words that differ are values: few.
func valued(a, b prose.Bag) bool {
	return len(a)-len(a.Shared(b)) <= 2 && len(b)-len(b.Shared(a)) <= 2
}

func numbersDiffer(a, b string) bool { return differ(numbers(a), numbers(b)) }

func differ(x, y []string) bool {
	return len(x) > 0 && len(y) > 0 && !slices.Equal(x, y)
}

func numbers(s string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' }), func(n string) bool { return strings.Trim(n, ".") == "" })
}
