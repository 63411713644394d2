package cli

import (
	"bufio"
	"fmt"

	"github.com/rivo/uniseg"

	"github.com/coppice-dev/coppice/message"
)

// branch is a node that is still to be drawn.
type branch struct {
	at    int32
	lead  string // printed before the node itself
	rest  string // printed before what follows below it
	depth int
}

// maxDepth bounds the indentation. Deeper branches stay at that depth;
// otherwise a hostile log would need as many columns as it has entries.
const maxDepth = 20

// printTree draws the shown nodes depth first, without recursion.
func (a *app) printTree(t *outline) {
	first, next := t.children()
	var wait []branch
	push := func(kids []int32, rest string, depth int) {
		for i := len(kids) - 1; i >= 0; i-- {
			b := branch{at: kids[i], lead: rest, rest: rest, depth: depth}
			if len(kids) > 1 {
				b.lead, b.depth = rest+"├─ ", depth+1
				below := "│  "
				if i == len(kids)-1 {
					b.lead, below = rest+"└─ ", "   "
				}
				if depth < maxDepth {
					b.rest = rest + below
				}
			}
			wait = append(wait, b)
		}
	}
	list := func(at int32) (kids []int32) {
		for ; at >= 0; at = next[at] {
			kids = append(kids, at)
		}
		return kids
	}
	out := bufio.NewWriter(a.Out)
	defer out.Flush()
	width := t.idWidth()
	here := t.here()
	push(list(first[len(t.nodes)]), "", 0)
	for len(wait) > 0 {
		b := wait[len(wait)-1]
		wait = wait[:len(wait)-1]
		out.WriteString(a.treeLine(t, b, width, b.at == here))
		push(list(first[b.at]), b.rest, b.depth)
	}
}

// children links each shown node to its shown children in log order, the one
// on the active path first. The roots are children of an extra node after the
// last.
func (t *outline) children() (first, next []int32) {
	root := len(t.nodes)
	first, next = make([]int32, root+1), make([]int32, root)
	for i := range first {
		first[i] = -1
	}
	link := func(i int) {
		up := root
		if t.up[i] >= 0 {
			up = int(t.up[i])
		}
		next[i], first[up] = first[up], int32(i)
	}
	for _, onPath := range []bool{false, true} {
		for i := root - 1; i >= 0; i-- {
			if t.shown[i] && t.onPath[i] == onPath {
				link(i)
			}
		}
	}
	return first, next
}

// here returns the shown node nearest to the leaf, or -1.
func (t *outline) here() int32 {
	if t.Leaf < 0 {
		return -1
	}
	if t.shown[t.Leaf] {
		return int32(t.Leaf)
	}
	return t.up[t.Leaf]
}

func (t *outline) idWidth() int {
	const most = 36
	width := 0
	for i := range t.nodes {
		if t.shown[i] {
			width = max(width, uniseg.StringWidth(t.nodes[i].id))
		}
	}
	return min(width, most)
}

// treeLine formats a line: id, size, mark of the active path, branches, role,
// label, text.
func (a *app) treeLine(t *outline, b branch, width int, here bool) string {
	n := &t.nodes[b.at]
	mark := " "
	if t.onPath[b.at] {
		mark = a.paint("78", "•")
	}
	size := ""
	if n.tokens > 0 {
		size = thousands(n.tokens)
	}
	label := ""
	if n.label != "" {
		label = "[" + short(n.label, 40) + "] "
	}
	text := n.preview
	if name := roleNames[n.role]; name != "" {
		text = name + ": " + text
	}
	text = short(text, max(20, a.previewWidth()-uniseg.StringWidth(b.lead+label)))
	if !t.onPath[b.at] {
		text = a.paint(dim, text)
	}
	if here {
		text += a.paint("78", "  ← here")
	}
	return fmt.Sprintf("%s  %8s  %s %s%s%s\n", pad(n.id, width), size, mark, a.paint(dim, b.lead), a.paint("178", label), text)
}

// roleNames are the roles that a line names.
var roleNames = map[message.Role]string{message.RoleUser: "user", message.RoleAssistant: "assistant"}

// pad fills a text up to a width.
func pad(s string, width int) string {
	return s + fmt.Sprintf("%*s", max(0, width-uniseg.StringWidth(s)), "")
}
