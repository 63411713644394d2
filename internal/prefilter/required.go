package prefilter

import (
	"regexp/syntax"
	"slices"
)

// required returns literals of which each match of the expression holds one,
// or nil. The
// expression is simplified.
func required(re *syntax.Regexp) literals {
	out := factsOf(re).literals
	slices.SortFunc(out, func(a, b literal) int {
		return slices.Compare([]byte(a.text), []byte(b.text))
	})
	return slices.Compact(out)
}

// parse reads an expression that package regexp took.
func parse(expr string) *syntax.Regexp {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return &syntax.Regexp{Op: syntax.OpNoMatch}
	}
	return re.Simplify()
}

// facts are what is known of the texts that an expression matches.
type facts struct {
	literals literals
	exact    bool // the literals are all that it matches, as a whole
	width0   bool // it matches a place, not a text
	empty    bool // it may match nothing; begins and ends hold for the other texts then
	begins   side
	ends     side
}

// maxClass is up to how many characters a class is written out.
const maxClass = 16

func factsOf(re *syntax.Regexp) facts {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return exactly(literals{{"", flush, flush}})
	case syntax.OpLiteral:
		return literalFacts(re)
	case syntax.OpCharClass:
		return classFacts(re.Rune)
	case syntax.OpBeginText, syntax.OpBeginLine:
		return facts{width0: true, ends: noLetter}
	case syntax.OpEndText, syntax.OpEndLine:
		return facts{width0: true, begins: noLetter}
	case syntax.OpWordBoundary:
		return facts{width0: true, begins: wordBorder, ends: wordBorder}
	case syntax.OpCapture:
		return factsOf(re.Sub[0])
	case syntax.OpPlus:
		return repeated(factsOf(re.Sub[0]))
	case syntax.OpQuest:
		return optional(factsOf(re.Sub[0]))
	case syntax.OpStar:
		f := factsOf(re.Sub[0])
		return facts{empty: true, begins: f.begins, ends: f.ends}
	case syntax.OpConcat:
		return sequence(re.Sub)
	case syntax.OpAlternate:
		return choice(re.Sub)
	}
	return facts{empty: re.Op == syntax.OpNoWordBoundary}
}

// exactly are the facts of an expression that matches these texts.
func exactly(l literals) facts {
	f := facts{literals: l, exact: true, begins: noLetter, ends: noLetter}
	for _, it := range l {
		switch {
		case it.text == "":
			f.empty = true
		default:
			if letter(it.text[0]) {
				f.begins = anySide
			}
			if letter(it.text[len(it.text)-1]) {
				f.ends = anySide
			}
		}
	}
	return f
}

func literalFacts(re *syntax.Regexp) facts {
	all := literals{{"", flush, flush}}
	for _, r := range re.Rune {
		var one literals
		for _, s := range spellings(r, re.Flags&syntax.FoldCase != 0) {
			one = append(one, literal{s, flush, flush})
		}
		if all = joined(all, one, true); all == nil {
			return facts{}
		}
	}
	return exactly(all)
}

// classFacts takes pairs of first and last characters.
func classFacts(ranges []rune) facts {
	n := 0
	unknown := facts{begins: noLetter, ends: noLetter}
	for i := 0; i < len(ranges); i += 2 {
		first, last := ranges[i], ranges[i+1]
		n += int(last-first) + 1
		if first <= 'Z' && last >= 'A' || first <= 'z' && last >= 'a' {
			unknown = facts{}
		}
	}
	if n > maxClass {
		return unknown
	}
	var out literals
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			s := spellings(r, false)
			if s == nil {
				return unknown
			}
			if l := (literal{s[0], flush, flush}); !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
	}
	return exactly(out)
}

// repeated are the facts of x+: its first x is looked for.
func repeated(f facts) facts {
	f.literals = f.literals.before(anySide)
	f.exact = false
	if f.empty {
		f.literals = nil
	}
	return f
}

func optional(f facts) facts {
	if !f.exact || f.empty {
		return facts{empty: true, begins: f.begins, ends: f.ends}
	}
	f.literals = append(slices.Clone(f.literals), literal{"", flush, flush})
	f.empty = true
	return f
}

// sequence are the facts of xy.
func sequence(subs []*syntax.Regexp) facts {
	first := factsOf(subs[0])
	s := joint{facts: first, run: first.literals, runExact: first.exact}
	s.width0 = false
	for _, sub := range subs[1:] {
		s.add(factsOf(sub))
	}
	if s.next != anySide {
		s.run = s.run.before(s.next)
	}
	s.literals = better(s.best, s.run)
	return s.facts
}

// joint are the facts of a sequence up to some point.
type joint struct {
	facts
	run      literals // of the last pieces, joined
	runExact bool     // they are all that those pieces match
	best     literals // of pieces before those; nil: nothing is known
	next     side     // how what follows the run begins
}

func (s *joint) add(f facts) {
	var longer literals
	if s.run != nil && f.literals != nil && (s.runExact || f.exact) {
		longer = joined(s.run, f.literals, s.runExact)
	}
	switch {
	case longer != nil:
		s.run, s.runExact, s.next = longer, s.runExact && f.exact, anySide
		s.exact = s.exact && f.exact
	case f.width0 && s.run != nil: // what follows stands right behind the run
		s.next, s.exact = f.begins, false
	default:
		s.end(f.begins.unless(f.empty))
		s.run, s.runExact = f.literals.behind(s.ends.unless(s.empty)), f.exact
		s.exact = false
	}
	if s.empty {
		s.begins = s.begins.or(f.begins)
	}
	if f.empty {
		s.ends = s.ends.or(f.ends)
	} else {
		s.ends = f.ends
	}
	s.empty = s.empty && f.empty
}

// end closes the run before something that begins so.
func (s *joint) end(begins side) {
	if s.next == anySide {
		s.next = begins
	}
	s.best = better(s.best, s.run.before(s.next))
	s.next = anySide
}

func (s side) unless(unsure bool) side {
	if unsure {
		return anySide
	}
	return s
}

// choice are the facts of x|y.
func choice(subs []*syntax.Regexp) facts {
	out := factsOf(subs[0])
	for _, sub := range subs[1:] {
		f := factsOf(sub)
		if out.literals == nil || f.literals == nil || len(out.literals)+len(f.literals) > maxLiterals {
			out.literals, out.exact = nil, false
		} else {
			out.literals = append(slices.Clone(out.literals), f.literals...)
		}
		out.exact = out.exact && f.exact
		out.empty, out.width0 = out.empty || f.empty, out.width0 && f.width0
		out.begins, out.ends = out.begins.or(f.begins), out.ends.or(f.ends)
	}
	return out
}

func (s side) or(other side) side {
	if s == other {
		return s
	}
	return anySide
}
