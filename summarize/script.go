package summarize

import (
	"slices"
	"strings"
	"unicode"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
)

// script is a way of writing.
type script struct {
	name   string
	tables []*unicode.RangeTable
}

// scripts returns those that a text can be told by. Japanese uses three of them
// together.
func scripts() []script {
	return []script{
		{"Latin", []*unicode.RangeTable{unicode.Latin}},
		{"Cyrillic", []*unicode.RangeTable{unicode.Cyrillic}},
		{"Greek", []*unicode.RangeTable{unicode.Greek}},
		{"Arabic", []*unicode.RangeTable{unicode.Arabic}},
		{"Hebrew", []*unicode.RangeTable{unicode.Hebrew}},
		{"Devanagari", []*unicode.RangeTable{unicode.Devanagari}},
		{"Thai", []*unicode.RangeTable{unicode.Thai}},
		{"Korean", []*unicode.RangeTable{unicode.Hangul}},
		{"Chinese or Japanese", []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana}},
	}
}

// quotedCode is text that is not in the language of the sentence around it.
var quotedCode = lazy.Regexp("(?s)```.*?```|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|«[^»\n]*»|\\S*[/\\\\_=]\\S*")

// lettersOf counts the letters of a text by script, what is quoted apart.
func lettersOf(text string) []int {
	known := scripts()
	n := make([]int, len(known))
	if strings.ContainsAny(text, "`\"“「«/\\_=") { // the expression is slow
		text = quotedCode().ReplaceAllString(text, " ")
	}
	for line := range strings.Lines(text) {
		if headingOf(line) != "" {
			continue // headings are in English
		}
		for _, r := range line {
			if !unicode.IsLetter(r) {
				continue
			}
			if i := slices.IndexFunc(known, func(s script) bool { return unicode.In(r, s.tables...) }); i >= 0 {
				n[i]++
			}
		}
	}
	return n
}

// usersScript is the script in which the user writes, as an index into
// scripts; -1 where the user wrote too little, or in several.
func usersScript(sources []ledger.Source) int {
	const least, most = 40, 20_000 // letters
	n, all := make([]int, len(scripts())), 0
	for _, src := range slices.Backward(sources) {
		if roleOf(src.Message) != message.RoleUser {
			continue
		}
		for i, k := range lettersOf(prose.Own(src.Message.Text("\n")).Own) {
			n[i] += k
			all += k
		}
		if all > most {
			break
		}
	}
	for i := range n {
		if all >= least && 10*n[i] >= 7*all {
			return i
		}
	}
	return -1
}

// otherScript reports whether a text is not in the script with that index, and
// the name of the script that it should be in. Names and code may be in any, so
// only a text with next to nothing in the user's script counts.
func otherScript(text string, want int) (string, bool) {
	const least = 80 // letters
	if want < 0 {
		return "", false
	}
	n := lettersOf(text)
	all := 0
	for _, k := range n {
		all += k
	}
	return scripts()[want].name, all >= least && 10*n[want] < all
}
