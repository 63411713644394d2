package summarize

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/state"
)

// What an extraction tells of texts that were only looked at.
const (
	maxSights    = 16  // lines
	maxOfAFile   = 6   // of them from one file
	maxSight     = 180 // UTF-16 units of a line
	maxLooked    = 500 // tokens of all
	mostScanned  = 6000
	minimumSight = 8 // bytes
	ruleValue    = 4 // of a rule in a file for those who work here
)

// sight is a line of what was looked at.
type sight struct {
	look  int // which one it is from
	at    int // its place there
	text  string
	words []string // of the request, that it has
	names int      // of them: from names of code
	rule  bool     // for those who work here
	value float64
}

// looked writes what was read of files that nobody changed since and that the
// request speaks of: declarations, usage, rules for those who work there. Nobody
// has said it yet, and it would have to be read again.
func (s *sheet) looked(at place) {
	terms := s.terms()
	looks := slices.DeleteFunc(slices.Clone(state.Looks(s.in.State)), func(l state.Look) bool { return !s.covers.has(l.First) || l.File == "" })
	if len(terms) == 0 || len(looks) == 0 {
		return
	}
	byFile := map[int][]sight{}
	for _, x := range s.best(looks, terms) {
		byFile[x.look] = append(byFile[x.look], x)
	}
	room := int64(maxLooked)
	for i, l := range looks {
		lines := byFile[i]
		if len(lines) == 0 {
			continue
		}
		slices.SortFunc(lines, func(a, b sight) int { return cmp.Compare(a.at, b.at) })
		var shown []string
		for _, x := range lines {
			shown = append(shown, code(clip(x.text, maxSight)))
		}
		text := "- " + s.in.Mask("Read in "+l.File+": "+strings.Join(shown, "; "))
		if room -= s.in.Estimate(text); room < 0 {
			return
		}
		s.add(at, spare, l.First, text)
	}
}

// best are the lines worth most, of all looks: those that declare what the request
// names, and rules for those who work here.
func (s *sheet) best(looks []state.Look, terms map[string]term) []sight {
	var all []sight
	often := map[string]int{} // lines that have a word
	seen := map[string]bool{}
	scanned := 0
	for i, l := range slices.Backward(looks) {
		at := 0
		for line := range strings.Lines(l.Text) {
			at++
			line = unnumbered(strings.TrimRight(line, " \t\r\n"))
			text := strings.TrimSpace(line)
			if len(text) < minimumSight || text[0] == '<' || seen[text] || isTodo(text) {
				continue
			}
			if scanned++; scanned > mostScanned {
				break
			}
			seen[text] = true
			x := sight{look: i, at: at, text: text, words: wordsIn(text, terms)}
			for _, w := range x.words {
				often[w]++
				if terms[w] == inName {
					x.names++
				}
			}
			if x.rule = ordersIn(l.File, text); x.rule {
				x.value = ruleValue
			}
			if x.rule || len(x.words) > 1 && x.names > 0 && defines(line) {
				all = append(all, x)
			}
		}
	}
	for i := range all {
		x := &all[i]
		for _, w := range x.words {
			x.value += math.Log(float64(len(seen)+1) / float64(often[w]))
		}
		x.value /= math.Sqrt(math.Max(1, float64(len(x.text))/120)) // a long line has many words
	}
	slices.SortStableFunc(all, func(a, b sight) int { return cmp.Compare(b.value, a.value) })
	var chosen []sight
	of := map[int]int{}
	for _, x := range all {
		switch {
		case len(chosen) == maxSights:
			return chosen
		case of[x.look] == maxOfAFile, s.in.visible(x.text):
		default:
			of[x.look]++
			chosen = append(chosen, x)
		}
	}
	return chosen
}

// term says where a word of the request is from.
type term int

const (
	inProse term = iota + 1
	inName       // a name of code: maxRetries, [Anchor], a_b
)

// terms are the words of what is asked for.
func (s *sheet) terms() map[string]term {
	terms := map[string]term{}
	requests := slices.DeleteFunc(s.in.State.Of(state.Request), func(it *state.Item) bool { return it.Life == state.Withdrawn })
	for _, it := range requests[max(0, len(requests)-2):] {
		for w := range prose.Content(it.Text, prose.Detect(it.Text)) {
			for _, part := range parts(w) {
				terms[part] = max(terms[part], inProse)
			}
		}
		for _, w := range strings.Fields(it.Text) {
			if isName(w) {
				for _, part := range parts(w) {
					terms[part] = inName
				}
			}
		}
	}
	return terms
}

// wordsIn are the terms that a line of code or text has.
func wordsIn(line string, terms map[string]term) []string {
	var out []string
	for _, p := range parts(line) {
		if terms[p] != 0 && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// isName reports whether a word is a name of code.
func isName(word string) bool {
	word = strings.Trim(word, ".,;:!?()\"")
	if strings.ContainsAny(word, "`_[]()=<>") || strings.Contains(word, "::") {
		return !strings.Contains(word, "/")
	}
	inner := strings.TrimLeftFunc(word, unicode.IsUpper)
	return len(inner) < len(word) && strings.IndexFunc(inner, unicode.IsUpper) > 0 || strings.IndexFunc(word, unicode.IsUpper) > 0 && unicode.IsLower(rune(word[0]))
}

// unnumbered takes the number off a line as tools show it.
func unnumbered(line string) string {
	rest := strings.TrimLeft(line, " ")
	digits := strings.TrimLeft(rest, "0123456789")
	if digits == rest {
		return line
	}
	for _, mark := range []string{": ", "→", "\t", "|"} {
		if after, ok := strings.CutPrefix(digits, mark); ok {
			return after
		}
	}
	return line
}

// parts are the words of a text and of the names in it, in lower case and
// without the s of a plural: maxRetries has max and retrie.
func parts(text string) []string {
	var out []string
	from := -1
	end := func(i int) {
		if from >= 0 && i-from > 2 {
			out = append(out, strings.TrimSuffix(strings.ToLower(text[from:i]), "s"))
		}
		from = -1
	}
	before := ' '
	for i, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
		case unicode.IsUpper(r) && unicode.IsLower(before):
			end(i)
			from = i
		case from < 0:
			from = i
		}
		before = r
	}
	end(len(text))
	return out
}

var (
	// definition is how functions and types are declared, methods included.
	definition = lazy.Expr{Of: `^\s*(?:export |pub |public |private |protected |static |inline |virtual |async |default |abstract |final )*(?:func|fn|def|class|type|struct|enum|interface|trait|function|using|typedef|#define)\b.*\w`}
	// global is how values are declared outside of functions.
	global = lazy.Expr{Of: `^(?:export |pub |static |inline |constexpr )*(?:const|let|var|val)\b`}
	// signature is a function as the C family declares it.
	signature = lazy.Expr{Of: `^\s*(?:[A-Za-z_][\w:<>,&*\[\]]*\s+)+[&*]*[\w:~]+\([^()]*(?:\([^()]*\)[^()]*)*\)?\s*(?:const|override|noexcept)?\s*[{;]?$`}
	statement = lazy.Expr{Of: `^\s*(?:return|if|for|while|else|switch|case|throw|new|delete|await|yield|assert|raise|import|from)\b`}
)

// defines reports whether a line, with the blanks before it, declares something
// or says how it is used.
func defines(line string) bool {
	if statement.Get().MatchString(line) {
		return false
	}
	return definition.Get().MatchString(line) || global.Get().MatchString(line) || signature.Get().MatchString(line) || strings.Contains(strings.ToLower(line), "usage:")
}

// guides are files with rules for those who work in a repository.
var guides = lazy.Words{"agents.md", "claude.md", "gemini.md", "contributing.md", ".cursorrules", "copilot-instructions.md"}

var orders = lazy.Expr{Of: `(?i)\b(?:never|always|must|do not|don't|only|required?|forbidden)\b`}

// ordersIn reports whether a line of such a file is a rule.
func ordersIn(file, line string) bool {
	return guides.Has(strings.ToLower(path.Base(file))) && orders.Get().MatchString(line)
}

// isTodo reports whether a line is an item of a list of work: the state knows
// better what is left.
func isTodo(line string) bool {
	rest := strings.TrimLeft(line, "-*+ ")
	return strings.HasPrefix(rest, "[ ]") || strings.HasPrefix(rest, "[x]") || strings.HasPrefix(rest, "TODO")
}
