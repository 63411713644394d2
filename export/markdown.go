package export

import (
	"bufio"
	"context"
	"fmt"
	"html"
	"io"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// MarkdownOptions configure a Markdown export.
type MarkdownOptions struct {
	Title string // "": the session id
	Seen  bool   // what the model sees, instead of everything that was said
}

// Markdown writes the conversation up to view.Leaf: everything that was said
// on the path to it, with a divider where a compaction is, or what the view
// shows. Long outputs are folded. No text can break out of its place: prose is
// quoted, and prose with tags in it is fenced.
func Markdown(ctx context.Context, log session.Log, view *timeline.View, w io.Writer, opts MarkdownOptions) error {
	m := &markdown{out: bufio.NewWriterSize(w, 1<<16), labels: map[string]string{}, p: previewer{calls: map[string]string{}}}
	m.title(log.Header(), opts)
	var err error
	if opts.Seen {
		err = m.view(view)
	} else {
		err = m.path(ctx, log, view.Leaf)
	}
	if err == nil {
		err = m.out.Flush() // the writer keeps the first error
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

type markdown struct {
	out    *bufio.Writer
	labels map[string]string
	p      previewer
}

func (m *markdown) printf(format string, args ...any) { fmt.Fprintf(m.out, format, args...) }

func (m *markdown) title(h session.Header, opts MarkdownOptions) {
	title := short(opts.Title, previewText)
	if title == "" {
		title = h.ID
	}
	m.printf("# %s\n\n", inert(title))
	m.printf("Session %s", code(h.ID))
	if !h.Time.IsZero() {
		m.printf(", %s", stamp(h.Time))
	}
	if h.Cwd != "" {
		m.printf(", in %s", code(h.Cwd))
	}
	if opts.Seen {
		m.printf(". What the model sees.\n\n")
	} else {
		m.printf(". Everything that was said.\n\n")
	}
}

// path writes every entry from the root to the leaf, in two passes over the
// log.
func (m *markdown) path(ctx context.Context, log session.Log, leaf *session.Entry) error {
	if leaf == nil {
		return nil
	}
	place := -1
	t, err := session.ReadTree(ctx, log, func(i int, e *session.Entry) error {
		if e.ID == leaf.ID && e.At == leaf.At {
			place = i
		}
		if l := e.Label(); l != nil {
			m.labels[l.TargetID] = l.Label
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.Leaf = place
	on := t.OnPath()
	i := -1
	for e, err := range log.All(ctx) {
		if err != nil {
			return err
		}
		if i++; i < len(on) && on[i] {
			if err := m.entry(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// view writes what the model sees, in the order of the request.
func (m *markdown) view(v *timeline.View) error {
	if v.Prompt.Known {
		m.printf("## System prompt\n\n")
		m.parts(systemParts(v.Prompt.Message()))
	}
	for _, it := range v.Items {
		var marks []string
		if it.Pinned {
			marks = append(marks, "pinned")
		}
		if it.Request {
			marks = append(marks, "open request")
		}
		if it.Open {
			marks = append(marks, "open call")
		}
		if it.Edited {
			marks = append(marks, "edited")
		}
		if it.Kind != "" {
			marks = append(marks, "made by the view: "+string(it.Kind))
		}
		msg, err := it.Message()
		if err != nil {
			return err
		}
		m.heading(it.Entry, roleTitle(msg), marks)
		m.parts(messageParts(msg))
	}
	return nil
}

// entry writes an entry; bookkeeping takes one line.
func (m *markdown) entry(e *session.Entry) error {
	msg, err := e.Message()
	if err != nil {
		return err
	}
	about := m.p.of(e, msg)
	parts := partsOf(e, msg)
	switch {
	case e.Type == session.TypeLabel:
		return nil // it is shown with its target
	case e.Compaction() != nil:
		m.printf("---\n\n")
		m.heading(e, fmt.Sprintf("Compaction of %d tokens", e.Compaction().TokensBefore), nil)
		if kept := e.Compaction().FirstKeptEntryID; kept == "" || kept == e.ID {
			m.printf("The model sees this summary instead of everything above.\n\n")
		} else {
			m.printf("The model sees this summary instead of everything above, up to %s.\n\n", code("en:"+kept))
		}
		m.parts(parts)
		m.printf("---\n\n")
	case msg != nil:
		m.heading(e, roleTitle(msg), nil)
		m.parts(parts)
	case len(parts) > 0:
		m.heading(e, about, nil)
		m.parts(parts)
	default:
		m.printf("(%s)\n\n", inert(about))
	}
	return nil
}

// heading writes who speaks, the time, and the entry's id.
func (m *markdown) heading(e *session.Entry, speaker string, marks []string) {
	m.printf("## %s", inert(speaker))
	if e != nil {
		if !e.Time.IsZero() {
			m.printf(" · %s", stamp(e.Time))
		}
		m.printf(" · %s", code("en:"+e.ID))
		if l := m.labels[e.ID]; l != "" {
			marks = append([]string{"label: " + short(l, previewName)}, marks...)
		}
	}
	for _, mark := range marks {
		m.printf(" · %s", inert(mark))
	}
	m.printf("\n\n")
}

func (m *markdown) parts(parts []part) {
	for _, p := range parts {
		switch p.Kind {
		case partText:
			if p.Name != "" {
				m.printf("%s:\n\n", inert(p.Name))
			}
			m.printf("%s\n", prose(p.Text))
		case partCall:
			m.call(p)
		case partImage:
			m.printf("(image %s, %d KB)\n\n", inert(p.Name), (len(p.Text)*3/4+1023)/1024)
		case partNote:
			m.printf("(%s)\n\n", inert(p.Text))
		case partError:
			m.printf("Error:\n\n%s\n", fence(p.Text))
		case partThinking, partOutput, partRaw:
			m.folded(p)
		}
	}
}

func (m *markdown) call(p part) {
	if p.Name == userShell {
		m.printf("%s\n", fence("$ "+p.Text))
		return
	}
	m.printf("Call of %s:\n\n%s\n", code(p.Name), fence(p.Text))
}

// folded writes a long text below a line that unfolds it.
func (m *markdown) folded(p part) {
	const open = 12 // texts up to this many lines are not folded
	lines := strings.Count(p.Text, "\n") + 1
	if lines <= open && p.Kind != partThinking {
		m.printf("%s\n", fence(p.Text))
		return
	}
	title := strings.TrimSpace(string(p.Kind) + " " + short(p.Name, previewName))
	size := fmt.Sprintf("%d lines", lines)
	if lines == 1 {
		size = "1 line"
	}
	m.printf("<details><summary>%s, %s</summary>\n\n%s\n</details>\n\n", html.EscapeString(title), size, fence(p.Text))
}

// roleTitle returns a role as a heading.
func roleTitle(m *message.Message) string {
	switch m.Role {
	case message.RoleUser:
		return "User"
	case message.RoleAssistant:
		return "Assistant"
	case message.RoleToolResult:
		if m.IsError {
			return "Failed result of " + short(m.ToolName, previewName)
		}
		return "Result of " + short(m.ToolName, previewName)
	case message.RoleBashExecution:
		return "Command by the user"
	case message.RoleCompactionSummary:
		return "Summary of what came before"
	case message.RoleBranchSummary:
		return "Summary of another branch"
	case message.RoleSystem:
		return "System prompt"
	case message.RoleCustom:
		return "Note " + short(m.CustomType, previewName)
	}
	return string(m.Role)
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") + " UTC" }
