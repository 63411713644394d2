package claudecode

import (
	"context"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/session"
)

// run is one import.
type run struct {
	to    *convert.Sink
	w     *scribe.Writer
	tree  tree
	queue queue
	title title

	line     string // uuid of the current line
	answer   string // message id of the open answer
	model    string // of the last answer
	named    string // the model in force on the path
	boundary *boundary
}

func newImport(to *convert.Sink) *run {
	return &run{to: to, w: scribe.New(to), tree: newTree()}
}

// take takes one line of the file.
func (r *run) take(ctx context.Context, raw []byte) error {
	f := fields{}
	f.read(raw)
	if r.tree.known(f.uuid) {
		// A resumed session can repeat its last line, joined to the torn one.
		r.to.Skip("repeated line")
		return nil
	}
	if f.sidechain {
		r.to.Skip("subagent message")
		return nil
	}
	r.tree.add(&f)
	r.line = f.uuid
	switch f.typ {
	case "assistant":
		return r.assistant(ctx, &f)
	case "user":
		return r.user(ctx, &f)
	case "system":
		return r.system(ctx, &f)
	case "attachment":
		return r.attachment(ctx, &f)
	case "queue-operation":
		return r.queued(ctx, &f)
	case "progress":
		r.to.Skip("progress/" + str(f.get("data"), "type"))
	case "summary", "custom-title", "ai-title":
		r.title.read(&f)
	default:
		r.to.Skip(f.typ)
	}
	return nil
}

// settle writes the open answer and links the lines before this one to the
// last entry made from them.
func (r *run) settle(ctx context.Context) error {
	r.answer = ""
	if err := r.w.Close(ctx); err != nil {
		return err
	}
	r.tree.settle(r.to.Leaf())
	r.tree.rebind(r.line)
	return nil
}

// add settles, then writes the draft of a line.
func (r *run) add(ctx context.Context, d session.Draft) error {
	if err := r.settle(ctx); err != nil {
		return err
	}
	if err := r.w.Add(ctx, d); err != nil {
		return err
	}
	r.tree.settle(r.to.Leaf())
	return nil
}

// end writes what remains, and the title.
func (r *run) end(ctx context.Context) error {
	r.dropBoundary()
	if err := r.settle(ctx); err != nil {
		return err
	}
	for range r.title.sort(&r.tree) {
		r.to.Skip("summary of another session")
	}
	if t := r.title.best(); t != "" {
		if err := r.w.Add(ctx, session.NameDraft(t)); err != nil {
			return err
		}
	}
	return r.w.End(ctx)
}

// title collects the names of a session.
type title struct {
	custom, ai, summary string
	summaries           []summary
}

// summary is a one-line summary of the session with a given leaf.
type summary struct{ leaf, text string }

// read takes a line that names a session.
func (t *title) read(f *fields) {
	switch f.typ {
	case "custom-title":
		t.custom = str(f.line, "customTitle")
	case "ai-title":
		t.ai = str(f.line, "aiTitle")
	case "summary":
		t.summaries = append(t.summaries, summary{str(f.line, "leafUuid"), str(f.line, "summary")})
	}
}

// sort finds the newest summary of this session: its leaf is in the file,
// before the summary or after it. It returns how many summaries are about
// other sessions.
func (t *title) sort(lines *tree) (others int) {
	for _, s := range t.summaries {
		if lines.known(s.leaf) {
			t.summary = s.text
		} else {
			others++
		}
	}
	return others
}

func (t *title) best() string {
	for _, s := range []string{t.custom, t.ai, t.summary} {
		if s != "" {
			return s
		}
	}
	return ""
}
