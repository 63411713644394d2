package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

// treeFilters are the filters of a tree.
var treeFilters = []string{"default", "no-tools", "user-only", "labeled-only", "all"}

func (a *app) treeCmd() *cobra.Command {
	var filter string
	var asJSON bool
	cmd := command(groupLook, "tree SESSION", "Show the tree of a session",
		`Show all branches. The active path is marked and comes first; lines are indented
only where branches split. Each line has the entry's id and its size in tokens.

The default filter leaves out bookkeeping; all shows every entry. With --json
and no filter every entry is listed, in the order of the log.`,
		"  coppice tree -\n  coppice tree work.jsonl --filter user-only", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			if asJSON && !cmd.Flags().Changed("filter") {
				filter = "all"
			}
			return a.tree(cmd.Context(), args[0], filter, asJSON)
		})
	cmd.Flags().StringVar(&filter, "filter", "default", strings.Join(treeFilters, ", "))
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("filter", cobra.FixedCompletions(treeFilters, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) tree(ctx context.Context, ref, filter string, asJSON bool) error {
	if !slices.Contains(treeFilters, filter) {
		return usagef("--filter %s: not one of %s", filter, strings.Join(treeFilters, ", "))
	}
	s, err := a.open(ctx, ref, false)
	if err != nil {
		return err
	}
	defer s.Close()
	t, err := a.readOutline(ctx, s.Log())
	if err != nil {
		return explain("read "+s.Ref(), err)
	}
	t.show(filter)
	if asJSON {
		a.json(t.json())
		return nil
	}
	a.printTree(t)
	return nil
}

// outline is a tree with a line of text for each entry.
type outline struct {
	*session.Tree
	nodes  []node
	onPath []bool
	up     []int32 // nearest shown ancestor, or -1
	shown  []bool
}

// node is an entry as a tree shows it.
type node struct {
	id       string
	kind     session.Type
	role     message.Role
	label    string
	tokens   int64
	preview  string
	callOnly bool // an assistant message of calls only; the results show them
}

// readOutline reads the tree of a log. Labels are replayed in log order, the
// last one wins.
func (a *app) readOutline(ctx context.Context, log session.Log) (*outline, error) {
	t := &outline{}
	p := previewer{home: a.home(), calls: map[string]string{}}
	labels := map[string]string{}
	var err error
	t.Tree, err = session.ReadTree(ctx, log, func(_ int, e *session.Entry) error {
		m, err := e.Message()
		if err != nil {
			return err
		}
		n := node{id: e.ID, kind: e.Type, preview: p.of(e, m)}
		if m != nil {
			n.role = m.Role
			n.tokens = tokens.Default{}.Message(m)
			n.callOnly = m.Role == message.RoleAssistant && !m.Failed() && m.StopReason != message.StopLength &&
				strings.TrimSpace(m.Text("")) == "" && len(m.ToolCalls()) > 0
		}
		if l := e.Label(); l != nil {
			labels[l.TargetID] = l.Label
		}
		t.nodes = append(t.nodes, n)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range t.nodes {
		t.nodes[i].label = labels[t.nodes[i].id]
	}
	t.onPath = t.OnPath()
	return t, nil
}

// show applies a filter. Shown entries are linked across the ones it hides.
func (t *outline) show(filter string) {
	t.shown, t.up = make([]bool, len(t.nodes)), make([]int32, len(t.nodes))
	nearest := make([]int32, len(t.nodes)) // itself, or the nearest shown ancestor
	for i := range t.nodes {
		t.up[i] = -1
		if p := t.Up[i]; p >= 0 {
			t.up[i] = nearest[p]
		}
		nearest[i] = t.up[i]
		if t.shown[i] = t.nodes[i].passes(filter, i == t.Leaf); t.shown[i] {
			nearest[i] = int32(i)
		}
	}
}

// passes reports whether a filter shows a node.
func (n *node) passes(filter string, isLeaf bool) bool {
	if filter == "all" {
		return true
	}
	if n.callOnly && !isLeaf {
		return false
	}
	switch filter {
	case "user-only":
		return n.role == message.RoleUser
	case "labeled-only":
		return n.label != ""
	case "no-tools":
		if n.role == message.RoleToolResult {
			return false
		}
	}
	switch n.kind {
	case session.TypeLabel, session.TypeCustom, session.TypeModelChange, session.TypeThinkingLevel,
		session.TypeContextEdit, session.TypeInfo, session.TypeUsage:
		return false
	}
	return true
}

// treeJSON is the shape of `tree --json` (docs/cli.md).
type treeJSON struct {
	LeafID  *string    `json:"leafId"`
	Entries []nodeJSON `json:"entries"`
}

type nodeJSON struct {
	ID       string  `json:"id"`
	ParentID *string `json:"parentId"`
	Type     string  `json:"type"`
	Role     string  `json:"role,omitempty"`
	Label    string  `json:"label,omitempty"`
	OnPath   bool    `json:"onPath"`
	Tokens   int64   `json:"tokens"`
	Children int     `json:"children"`
	Preview  string  `json:"preview"`
}

func (t *outline) json() treeJSON {
	out := treeJSON{Entries: []nodeJSON{}}
	if t.Leaf >= 0 {
		out.LeafID = &t.nodes[t.Leaf].id
	}
	children := make([]int, len(t.nodes))
	for i, up := range t.up {
		if t.shown[i] && up >= 0 {
			children[up]++
		}
	}
	for i := range t.nodes {
		if !t.shown[i] {
			continue
		}
		n := &t.nodes[i]
		j := nodeJSON{ID: n.id, Type: string(n.kind), Role: string(n.role), Label: n.label, OnPath: t.onPath[i],
			Tokens: n.tokens, Children: children[i], Preview: n.preview}
		if up := t.up[i]; up >= 0 {
			j.ParentID = &t.nodes[up].id
		}
		out.Entries = append(out.Entries, j)
	}
	return out
}
