package state

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/ledger"
)

// Text is a text that is held against a state. It is prepared once.
type Text struct {
	folded string
	said   string // folded, without lists of files
	lines  []textLine
	index  *prose.Index // of the words of the lines, made when it is first wanted
}

// textLine is a line and the headings that it is under.
type textLine struct {
	text, folded string
	section      string // headings above, in lower case
	bag          prose.Bag
	counted      []string // its numbers
	low          string
}

// NewText prepares a text.
func NewText(s string) *Text {
	t := &Text{folded: fold(s)}
	section, part, list := "", "", false
	var said strings.Builder
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "<read-files>"), strings.HasPrefix(line, "<modified-files>"):
			list = true
			continue
		case list:
			list = !strings.HasPrefix(line, "</")
			continue
		case line == "":
			continue
		}
		folded := fold(line)
		said.WriteString(folded)
		said.WriteByte(' ')
		switch {
		case strings.HasPrefix(line, "###"):
			part = headingOf(line)
		case strings.HasPrefix(line, "##"), strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**"):
			section, part = headingOf(line), ""
		default:
			t.lines = append(t.lines, textLine{text: line, folded: folded, section: section + " " + part})
		}
	}
	t.said = said.String()
	return t
}

// numbers are the numbers of a line, found when they are first wanted.
func (l *textLine) numbers() []string {
	if l.counted == nil {
		l.counted = append([]string{""}, numbers(l.folded)...)
	}
	return l.counted
}

// lower is the line in lower case, made when it is first wanted.
func (l *textLine) lower() string {
	if l.low == "" {
		l.low = strings.ToLower(l.folded)
	}
	return l.low
}

// content is the words of a line, found when they are first wanted.
func (l *textLine) content() prose.Bag {
	if l.bag == nil {
		l.bag = prose.Content(l.text, prose.Detect(l.text))
	}
	return l.bag
}

// fold makes each run of white space one space and resolves entities.
func fold(s string) string { return strings.Join(strings.Fields(quote.Unescape(s)), " ") }

// Holds reports whether a text still holds an item: paths, names, numbers,
// hashes and commands as they are, prose by its words with content.
func (t *Text) Holds(it *Item) bool {
	text := fold(it.Text)
	if text == "" || strings.Contains(t.said, strings.TrimRight(text, ".。")) && it.Kind != File && it.Kind != Run {
		return true
	}
	switch it.Kind {
	case File:
		return t.whole(text) && (it.Life != Moved || t.whole(fold(it.Note)))
	case Run:
		return strings.Contains(t.said, text)
	case Change:
		return t.holdsChange(it)
	case Place:
		if hash := firstField(text); isHash(hash) {
			return strings.Contains(t.folded, hash[:min(len(hash), 7)]) || strings.Contains(t.folded, strings.TrimPrefix(text, hash+" "))
		}
		return t.hard(text, 1)
	case Measure:
		return t.numbers(text)
	case Failure:
		return t.holdsFailure(it)
	}
	return t.prose(it.Text)
}

// whole reports whether a path is in the text and is not part of a longer
// one.
func (t *Text) whole(want string) bool {
	for from := 0; want != ""; {
		i := strings.Index(t.folded[from:], want)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(want)
		if !pathPart(lastRune(strings.TrimSuffix(t.folded[:start], "./"))) && !goesOnAfter(t.folded[end:]) {
			return true
		}
		from = start + 1
	}
	return false
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func pathPart(r rune) bool {
	return r == '-' || r == '/' || r == '.' || r == '_' || r < 0x250 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// goesOnAfter reports whether a path goes on in what follows.
func goesOnAfter(rest string) bool {
	r, n := utf8.DecodeRuneInString(rest)
	if rest == "" || !pathPart(r) {
		return false
	}
	if r == '.' { // ends a sentence unless a word goes on after it
		next, _ := utf8.DecodeRuneInString(rest[n:])
		return rest[n:] != "" && pathPart(next) && next != '.'
	}
	return true
}

// holdsChange asks for the file and what was changed in it.
func (t *Text) holdsChange(it *Item) bool {
	key, _, _ := strings.Cut(it.Key, "\x00")
	if !strings.Contains(t.folded, base(key)) {
		return false
	}
	new := fold(it.Text)
	if _, after, ok := strings.Cut(new, " → "); ok {
		new, _, _ = strings.Cut(after, " (in ")
	}
	return strings.Contains(t.folded, strings.Trim(strings.TrimLeft(new, "+− "), "`"))
}

func base(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// holdsFailure asks for the command, or for a line that says of a name out of
// what failed that it fails.
func (t *Text) holdsFailure(it *Item) bool {
	if strings.Contains(t.said, fold(it.Text)) {
		return true
	}
	for _, part := range strings.Split(it.Note, " / ") {
		for _, w := range tokens(part) {
			if len(w) > 7 && strings.ContainsAny(w, "_./:") && strings.Contains(t.said, w) && t.fails(w) {
				return true
			}
		}
	}
	return false
}

// failWords say that something fails.
var failWords = []string{"fail", "error", "panic", " red", "broken", "not green", "cannot", "schlägt fehl", "fehler", "échec", "échoue", "erreur", "falla", "falha", "erro", "падает", "ошибк", "失败", "错误", "失敗", "エラー", "실패", "오류"}

func (t *Text) fails(name string) bool {
	for i := range t.lines {
		l := &t.lines[i]
		if strings.Contains(l.folded, name) && (hasAny(l.section, "blocked", "critical", "issue", "problem", "error") || hasAny(l.lower(), failWords...)) {
			return true
		}
	}
	return false
}

// numbers reports whether a line has all numbers of a text.
func (t *Text) numbers(text string) bool {
	want := numbers(text)
	for i := range t.lines {
		have := t.lines[i].numbers()
		if len(want) > 0 && !slices.ContainsFunc(want, func(n string) bool { return !contains(have, n) }) {
			return true
		}
	}
	return false
}

// tokens are the words of a text that are written the same in any language:
// paths, names of code, numbers, hashes.
func tokens(text string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n,;()[]{}\"'`“”«»<>", r) }), func(w string) bool { return len(w) < 2 })
}

// hardTokens are those that are not plain words.
func hardTokens(text string) []string {
	var out []string
	for _, w := range tokens(text) {
		w = strings.TrimRight(w, ".:!?")
		inner := w
		if len(w) > 1 {
			inner = w[1:]
		}
		if strings.ContainsAny(w, "0123456789_/") || strings.ContainsAny(inner, ".#:") || strings.ToLower(inner) != inner && strings.IndexFunc(inner, func(r rune) bool { return r > 0x7F }) < 0 {
			out = append(out, w)
		}
	}
	return out
}

// hard reports whether one line has a share of the hard tokens of a text; a
// text without any is held by its words.
func (t *Text) hard(text string, share float64) bool {
	want := hardTokens(text)
	if len(want) == 0 {
		return t.words(text, 0.6)
	}
	for i := range t.lines {
		n := 0
		for _, w := range want {
			if strings.Contains(t.lines[i].folded, w) {
				n++
			}
		}
		if float64(n) >= share*float64(len(want)) {
			return true
		}
	}
	return false
}

// prose reports whether a line says what a sentence says: most of its words
// with content and all that is not a word; or, in another language, all of
// several such.
func (t *Text) prose(text string) bool {
	const long = 300
	if len(text) > long { // the beginning of a long request says what it is about
		text = strings.ToValidUTF8(text[:long], "")
	}
	want := hardTokens(text)
	if len(want) >= 3 && t.hard(text, 1) {
		return true
	}
	return t.words(text, 0.6)
}

// words reports whether a line has a share of the words of a text, or, of a
// text of several words, two lines one after the other under one heading.
func (t *Text) words(text string, share float64) bool {
	want := prose.Content(text, prose.Detect(text))
	if len(want) == 0 {
		return true
	}
	if t.index == nil {
		t.index = prose.NewIndex(len(t.lines), func(i int) prose.Bag { return t.lines[i].content() })
	}
	n, both := make([]int, len(t.lines)), make([]int, len(t.lines)) // both: with the line before
	for w := range want {
		last := -2
		for _, i := range t.index.Find(w) {
			n[i]++
			if last < i { // else it was counted with the line before
				both[i]++
			}
			if i+1 < len(both) {
				both[i+1]++
			}
			last = i + 1
		}
	}
	least := share * float64(len(want))
	for i := range n {
		if float64(n[i])/float64(len(want)) >= share {
			return true
		}
		if i > 0 && len(want) > 6 && float64(both[i]) >= least && t.lines[i].section == t.lines[i-1].section {
			return true
		}
	}
	return false
}

// class is what an item counts as in a coverage (docs/compaction.md).
func class(it *Item) ledger.Class {
	switch it.Kind {
	case Rule:
		return "constraint"
	case Failure:
		return "error"
	case Run:
		return "command"
	case Measure:
		return "number"
	case Task:
		return "open"
	case Place:
		if it.By == "git" {
			return "hash"
		}
	case File:
		switch {
		case it.Life == Deleted:
			return ledger.FileDeleted
		case it.Life == Moved:
			return ledger.FileMoved
		case it.Note == kinds.FileCreated:
			return ledger.FileCreated
		case it.Note == kinds.FileModified:
			return ledger.FileModified
		}
		return ledger.FileRead
	}
	return ledger.Class(it.Kind)
}

// Cover says, class by class, how many living items a text holds. Where
// nothing lives, the requests that are done count: what was asked is told in
// any case. keep says which items count at all; nil: all. If ctx ends, it stops
// in between.
func (t *Text) Cover(ctx context.Context, s *State, keep func(*Item) bool) ledger.Coverage {
	cov := s.cover(ctx, t, func(it *Item) bool {
		return it.Living() && (it.Kind != Decision || it.Life != Proposed) && (keep == nil || keep(it))
	})
	if len(cov) == 0 {
		cov = s.cover(ctx, t, func(it *Item) bool { return it.Kind == Request && it.Life == Done && (keep == nil || keep(it)) })
	}
	if len(cov) == 0 {
		cov[ledger.Class(Request)] = ledger.Score{}
	}
	return cov
}

func (s *State) cover(ctx context.Context, t *Text, counts func(*Item) bool) ledger.Coverage {
	cov := ledger.Coverage{}
	for i := range s.Items {
		it := &s.Items[i]
		if i%lookAfter == 0 && ctx.Err() != nil {
			break
		}
		if !counts(it) {
			continue
		}
		c := class(it)
		score := cov[c]
		score.Facts++
		if t.Holds(it) {
			score.Kept++
		}
		cov[c] = score
	}
	return cov
}

// Counts says how many items of each class hold, of those that count.
func (s *State) Counts(keep func(*Item) bool) map[ledger.Class]int {
	out := map[ledger.Class]int{}
	for i := range s.Items {
		if it := &s.Items[i]; it.Living() && keep(it) {
			out[class(&s.Items[i])]++
		}
	}
	return out
}
