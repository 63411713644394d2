package claudecode

import (
	"context"
	"strings"

	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// injected is the type of messages that Claude Code put in itself: skills,
// output of local commands, reminders, notices of interruption.
const injected = "claude-code.injected"

// user takes a line of role user: a prompt, results of tools, a summary, or
// what Claude Code put in.
func (r *run) user(ctx context.Context, f *fields) error {
	content := rawjson.Get(f.get("message"), "content")
	switch {
	case f.flag("isCompactSummary"):
		return r.compacted(ctx, f, content)
	case f.flag("isVisibleInTranscriptOnly"):
		r.to.Skip("shown on screen only")
		return nil
	}
	r.dropBoundary()
	if f.has("toolUseResult") {
		r.to.Skip("toolUseResult copy")
	}
	results, rest := split(content)
	for _, b := range results {
		res := &message.Message{Content: blocks(rawjson.Get(b, "content")), IsError: rawjson.Bool(rawjson.Get(b, "is_error")), Time: f.time}
		if err := r.w.Result(ctx, str(b, "tool_use_id"), res); err != nil {
			return err
		}
	}
	switch {
	case len(results)+len(rest) == 0:
		r.to.Skip("message without content")
		return nil
	case len(rest) == 0:
		if r.w.Open() == nil {
			return r.settle(ctx) // it is written already
		}
		return nil
	case len(results) > 0 || f.flag("isMeta"):
		return r.aside(ctx, r.said(f, rest, f.flag("isMeta")))
	}
	return r.prompt(ctx, f, rest)
}

// prompt writes what begins a turn.
func (r *run) prompt(ctx context.Context, f *fields, content []message.Block) error {
	if err := r.settle(ctx); err != nil {
		return err
	}
	if to, ok := r.tree.rewound(f); ok {
		if err := r.w.MoveTo(ctx, to); err != nil {
			return err
		}
		r.named = "" // the path may name another one
	}
	r.tree.begin(f.uuid)
	return r.add(ctx, r.said(f, content, false))
}

// aside writes a message that does not begin a turn: after the answer that
// is open, so that its parts stay together.
func (r *run) aside(ctx context.Context, d session.Draft) error {
	if r.w.Open() == nil {
		return r.add(ctx, d)
	}
	return r.w.Later(ctx, d)
}

// said is a message of the user's, or of Claude Code in the user's place.
func (r *run) said(f *fields, content []message.Block, meta bool) session.Draft {
	if meta || isNotice(content) {
		return r.w.Injected(injected, content, f.time)
	}
	return r.w.User(content, f.time)
}

// notices are the beginnings of texts that no user typed. A slash command that
// is expanded into a prompt begins with <command-message> and is the user's
// own; one that ran on the spot begins with <command-name>.
var notices = []string{"<command-name>", "<local-command-", "<bash-", "<task-notification>", "<system-reminder>",
	"[Request interrupted by user"}

func isNotice(content []message.Block) bool {
	for _, b := range content {
		t, ok := b.(message.Text)
		if !ok || !hasPrefix(strings.TrimSpace(t.Text), notices) {
			return false
		}
	}
	return len(content) > 0
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// split divides a content into results of tools and what else was said.
func split(content []byte) (results [][]byte, rest []message.Block) {
	if rawjson.Kind(content) != '[' {
		return nil, blocks(content)
	}
	for b := range rawjson.Elements(content) {
		if str(b, "type") == "tool_result" {
			results = append(results, b)
		} else {
			rest = append(rest, block(b))
		}
	}
	return results, rest
}

// blocks is a content: a string, or a list of blocks.
func blocks(content []byte) []message.Block {
	if rawjson.Kind(content) == '"' {
		return []message.Block{message.Text{Text: rawjson.String(content)}}
	}
	var out []message.Block
	for b := range rawjson.Elements(content) {
		out = append(out, block(b))
	}
	return out
}

func block(b []byte) message.Block {
	switch str(b, "type") {
	case "text":
		return message.Text{Text: str(b, "text")}
	case "image":
		if src := rawjson.Get(b, "source"); str(src, "type") == "base64" {
			return message.Image{Data: str(src, "data"), MIMEType: str(src, "media_type")}
		}
	}
	if rawjson.Kind(b) == '"' {
		return message.Text{Text: rawjson.String(b)}
	}
	return scribe.Opaque(b)
}
