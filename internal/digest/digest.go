// Package digest says in a few words what an edit changed: symbols that were
// added, removed or renamed, values that were set, lines that were replaced,
// sections of prose. It reads code by patterns per language, Go by its parser,
// and never fails: what it cannot make out is shown as text.
package digest

import (
	"path"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Kind is what was done.
type Kind string

// The kinds.
const (
	Added   Kind = "added"   // a symbol, a section
	Removed Kind = "removed" // a symbol, a section
	Renamed Kind = "renamed" // Old is the former name
	Value   Kind = "value"   // Name was set from Old to New; of a new constant Old is ""
	Text    Kind = "text"    // the line Old became New; one of them may be ""
)

// Change is one thing that an edit changed.
type Change struct {
	Kind     Kind
	Name     string
	Old, New string
	In       string // the symbol or section around it; "": not known
}

// Edit is one change of a text. Before is what is known of the whole file
// before it, or "".
type Edit struct {
	Path, Old, New string
	Section        string
	Before         string
	Whole          bool // New is the whole file; Before, if it is known, what it was
}

// Bounds of what is looked at and of what is said.
const (
	maxDiff    = 96 << 10 // bytes of one side
	maxChanges = 24       // of one edit
	maxText    = 110      // bytes of a line that is shown
)

// Of returns what an edit changed, in the order of the text.
func Of(e Edit) []Change {
	before, after := e.Old, e.New
	if e.Whole {
		before = e.Before
	}
	if len(before) > maxDiff || len(after) > maxDiff {
		before, after = head(before), head(after)
	}
	d := differ{edit: e, lang: languageOf(e.Path), base: before}
	if e.Whole && before == "" {
		return d.fresh(after)
	}
	if !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	if !strings.HasSuffix(after, "\n") {
		after += "\n"
	}
	for _, x := range udiff.Lines(before, after) {
		d.hunk(before[x.Start:x.End], x.New, x.Start)
		if len(d.out) > maxChanges {
			return d.out[:maxChanges]
		}
	}
	return d.out
}

func head(s string) string { return s[:min(len(s), maxDiff)] }

// differ gathers the changes of one edit.
type differ struct {
	edit Edit
	lang *language
	base string // the old text
	out  []Change
}

func (d *differ) add(c Change) {
	if c.Kind == Text && c.Old == "" && c.New == "" {
		return
	}
	for _, known := range d.out {
		if known == c {
			return
		}
	}
	d.out = append(d.out, c)
}

// fresh tells what a new file has.
func (d *differ) fresh(text string) []Change {
	for _, s := range d.lang.symbols(text) {
		if s.outer {
			d.add(Change{Kind: Added, Name: s.name})
		}
		if len(d.out) >= maxChanges {
			break
		}
	}
	return d.out
}

// hunk compares the lines that were taken out with those that came in.
func (d *differ) hunk(removed, added string, at int) {
	olds, news := lines(removed), lines(added)
	in := d.around(at, removed)
	taken, whole := d.declared(removed, added, in)
	if d.lang.markdown && len(taken) > 0 {
		in = ""
	}
	pairs := pair(olds, news)
	shown := 0
	for _, p := range pairs {
		if p.old != "" && p.new != "" {
			if taken[p.old] && taken[p.new] {
				continue
			}
			d.pair(p.old, p.new, in)
			shown++
			continue
		}
		if taken[p.old+p.new] {
			continue
		}
		if c, ok := d.assigned(p, in); ok {
			d.add(c)
			continue
		}
		const most = 2 // lines without a name that are shown of one hunk
		if line := p.old + p.new; !(whole && !d.lang.markdown) && shown < most && d.telling(line, len(olds)+len(news)) {
			d.add(Change{Kind: Text, Old: clip(p.old), New: clip(p.new), In: in})
			shown++
		}
	}
}

// telling reports whether a line that came in or went out is worth showing: no
// comment, no bracket, no import, and not one of many.
func (d *differ) telling(line string, of int) bool {
	const many = 6
	bare := strings.TrimSpace(line)
	return of <= many && len(bare) > 3 && strings.ContainsAny(bare, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") && !d.lang.comment(bare)
}

// declared compares the symbols of both sides. It returns the lines that are
// said with them, and whether a symbol came in or went out with its body.
func (d *differ) declared(removed, added, in string) (said map[string]bool, whole bool) {
	said = map[string]bool{}
	olds, news := d.lang.symbols(removed), d.lang.symbols(added)
	if d.lang.markdown {
		in = ""
	}
	gone := olds[:0:0]
	for _, o := range olds {
		if i := find(news, o.name); i >= 0 {
			if o.line != news[i].line && o.value == "" {
				d.add(Change{Kind: Text, Name: o.name, Old: clip(o.line), New: clip(news[i].line), In: in})
				said[o.line], said[news[i].line] = true, true
			}
			continue
		}
		gone = append(gone, o)
	}
	for _, n := range news {
		if find(olds, n.name) >= 0 {
			continue
		}
		said[n.line] = true
		if i := renamedFrom(gone, n); i >= 0 {
			d.add(Change{Kind: Renamed, Name: n.name, Old: gone[i].name, In: in})
			said[gone[i].line] = true
			gone = append(gone[:i:i], gone[i+1:]...)
			continue
		}
		d.add(Change{Kind: Added, Name: n.name, New: n.value, In: in})
		whole = whole || n.value == ""
	}
	for _, o := range gone {
		d.add(Change{Kind: Removed, Name: o.name, In: in})
		said[o.line], whole = true, true
	}
	return said, whole
}

func find(all []symbol, name string) int {
	for i, s := range all {
		if s.name == name {
			return i
		}
	}
	return -1
}

// renamedFrom finds the symbol that went where one of its kind came.
func renamedFrom(gone []symbol, n symbol) int {
	for i, o := range gone {
		if o.kind == n.kind && (len(gone) == 1 || similar(o.name, n.name) >= 0.5) {
			return i
		}
	}
	return -1
}

// pair tells how one line became another.
func (d *differ) pair(old, new, in string) {
	if strings.Join(strings.Fields(old), " ") == strings.Join(strings.Fields(new), " ") {
		return // indentation
	}
	if d.lang.comment(strings.TrimSpace(old)) && d.lang.comment(strings.TrimSpace(new)) {
		return
	}
	if name, was, is, ok := valueChange(old, new); ok {
		d.add(Change{Kind: Value, Name: name, Old: was, New: is, In: in})
		return
	}
	o, n := clipPair(old, new)
	d.add(Change{Kind: Text, Old: o, New: n, In: in})
}

// assigned tells a line that sets a name and came in or went out.
func (d *differ) assigned(p linePair, in string) (Change, bool) {
	name, value, ok := assignment(p.old + p.new)
	if !ok || !d.lang.config && !isConstant(name) {
		return Change{}, false
	}
	if p.new != "" {
		return Change{Kind: Added, Name: name, New: value, In: in}, true
	}
	return Change{Kind: Removed, Name: name, Old: value, In: in}, true
}

// around is the symbol or the section that holds a place of the old text.
func (d *differ) around(at int, removed string) string {
	if s := d.lang.symbolName(d.edit.Section); s != "" {
		return s
	}
	if in := d.lang.enclosing(d.base, at); in != "" {
		return in
	}
	if d.edit.Before == "" || d.edit.Whole {
		return ""
	}
	want := strings.TrimRight(d.edit.Old, "\n")
	if i := strings.Index(d.edit.Before, want); i >= 0 && want != "" {
		return d.lang.enclosing(d.edit.Before, i+min(at, len(want)))
	}
	return ""
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// linePair is a line that became another, came in (old is "") or went out.
type linePair struct{ old, new string }

// pair puts lines that are alike side by side, in order.
func pair(olds, news []string) []linePair {
	var out []linePair
	const alike = 0.4
	j := 0
	for _, o := range olds {
		if strings.TrimSpace(o) == "" {
			continue
		}
		best := -1
		for k := j; k < len(news) && k < j+8; k++ {
			if s := similar(o, news[k]); s >= alike && (best < 0 || s > similar(o, news[best])) {
				best = k
			}
		}
		if best < 0 && len(olds) == 1 && len(news) == 1 {
			best = 0
		}
		if best < 0 {
			out = append(out, linePair{old: o})
			continue
		}
		for ; j < best; j++ {
			out = append(out, linePair{new: news[j]})
		}
		out = append(out, linePair{o, news[best]})
		j = best + 1
	}
	for ; j < len(news); j++ {
		if strings.TrimSpace(news[j]) != "" {
			out = append(out, linePair{new: news[j]})
		}
	}
	return out
}

// similar is the share of two texts that is the same at their beginnings and
// ends, from 0 to 1.
func similar(a, b string) float64 {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if a == "" || b == "" {
		return 0
	}
	p, s := common(a, b)
	return float64(p+s) / float64(max(len(a), len(b)))
}

// common is how many bytes two texts share at the beginning and at the end.
func common(a, b string) (prefix, suffix int) {
	for prefix < len(a) && prefix < len(b) && a[prefix] == b[prefix] {
		prefix++
	}
	for suffix < len(a)-prefix && suffix < len(b)-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	return prefix, suffix
}

// clip shortens a line.
func clip(line string) string {
	line = strings.Join(strings.Fields(line), " ")
	if len(line) <= maxText {
		return line
	}
	return strings.ToValidUTF8(line[:maxText], "") + "…"
}

// clipPair shortens two lines around what differs.
func clipPair(old, new string) (string, string) {
	old, new = strings.Join(strings.Fields(old), " "), strings.Join(strings.Fields(new), " ")
	if len(old) <= maxText && len(new) <= maxText {
		return old, new
	}
	p, _ := common(old, new)
	const lead = 30
	if cut := p - lead; cut > 0 {
		for cut > 0 && old[cut-1] != ' ' && p-cut < 2*lead {
			cut--
		}
		old, new = "…"+strings.ToValidUTF8(old[cut:], ""), "…"+strings.ToValidUTF8(new[cut:], "")
	}
	return clip(old), clip(new)
}

func extension(p string) string { return strings.ToLower(path.Ext(p)) }
