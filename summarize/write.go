package summarize

import "strings"

// nothing is what a heading without content has under it.
const nothing = "(none)"

// goOn is what Next Steps has if nothing is known to be open.
const goOn = "Go on with the last request under Goal, unless it is finished."

// write renders what was taken.
func (e *extraction) write() string {
	var b strings.Builder
	for i, p := range e.places {
		if i > 0 && p.part == "" {
			b.WriteString("\n")
		}
		if p.part == "" {
			b.WriteString("## " + p.section + "\n")
		} else {
			b.WriteString("### " + p.part + "\n")
		}
		lines := e.linesAt(p)
		hasParts := p.part == "" && i+1 < len(e.places) && e.places[i+1].section == p.section
		if len(lines) == 0 && !hasParts {
			lines = []string{nothing}
			if p == atNext {
				lines = []string{"- " + goOn}
			}
		}
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

func (e *extraction) linesAt(p place) []string {
	var lines []string
	for _, b := range e.buckets {
		if b.place != p {
			continue
		}
		var items []string
		for i, item := range b.items {
			if b.taken != nil && b.taken[i] {
				items = append(items, item)
			}
		}
		lines = append(lines, b.lines(items)...)
	}
	return lines
}

func (g group) lines(items []string) []string {
	if len(items) == 0 {
		return nil
	}
	if g.style == inline {
		return []string{"- " + g.label + ": " + strings.Join(items, ", ")}
	}
	mark := map[style]string{list: "- ", todo: "- [ ] ", done: "- [x] "}[g.style]
	if g.label != "" {
		mark += g.label + ": "
	}
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = mark + item
	}
	return lines
}
