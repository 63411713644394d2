package claudecode

import (
	"context"
	"time"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// boundary is a compact_boundary whose summary has not come yet.
type boundary struct {
	uuid   string
	time   time.Time
	tokens int64
}

// cleared is what Claude Code shows the model in place of a result that a
// microcompaction removed.
const cleared = "[Old tool result content cleared]"

// system takes a line of type system. Compactions and the output of the user's
// commands are imported; the rest was only for the screen.
func (r *run) system(ctx context.Context, f *fields) error {
	switch sub := str(f.line, "subtype"); sub {
	case "compact_boundary":
		r.dropBoundary()
		r.boundary = &boundary{uuid: f.uuid, time: f.time, tokens: rawjson.Int(rawjson.Get(f.get("compactMetadata"), "preTokens"))}
	case "microcompact_boundary":
		return r.microcompacted(ctx, f)
	case "local_command":
		return r.aside(ctx, r.w.Injected(injected, blocks(f.get("content")), f.time))
	default:
		r.to.Skip("system/" + sub)
	}
	return nil
}

// dropBoundary counts a boundary whose summary never came, so that it replaced
// nothing.
func (r *run) dropBoundary() {
	if r.boundary != nil {
		r.boundary = nil
		r.to.Skip("compaction without a summary")
	}
}

// compacted writes a compaction. Claude Code continues from the summary alone,
// so nothing before it is kept word for word. Old versions did not write a
// boundary.
func (r *run) compacted(ctx context.Context, f *fields, content []byte) error {
	c := &session.Compaction{Summary: (&message.Message{Content: blocks(content)}).Text("\n\n")}
	at := f.time
	if b := r.boundary; b != nil {
		c.TokensBefore, at = b.tokens, b.time
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	if err := r.w.Compact(ctx, c, at); err != nil {
		return err
	}
	r.tree.begin(f.uuid)
	if b := r.boundary; b != nil {
		r.tree.join(b.uuid)
	}
	r.tree.settle(r.to.Leaf())
	r.boundary = nil
	return nil
}

// microcompacted writes one context edit for each cleared result.
func (r *run) microcompacted(ctx context.Context, f *fields) error {
	if err := r.settle(ctx); err != nil {
		return err
	}
	for id := range rawjson.Elements(rawjson.Get(f.get("microcompactMetadata"), "compactedToolIds")) {
		c := r.w.Find(rawjson.String(id))
		if c == nil || c.Result == "" {
			r.to.Skip("cleared result that is not in the file")
			continue
		}
		d := session.EditDraft(c.Result, []message.Block{message.Text{Text: cleared}})
		d.Time = f.time
		if err := r.w.Add(ctx, d); err != nil {
			return err
		}
	}
	r.tree.settle(r.to.Leaf())
	return nil
}
