package claudecode

import (
	"context"
	"strings"

	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// injected is the type of messages that Claude Code added itself: skills,
// output of local commands, reminders, notices of interruption.
const injected = "claude-code.injected"

// user takes a line with role user: a prompt, tool results, a summary, or
// something that Claude Code added.
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
			return r.settle(ctx) // it is already written
		}
		return nil
	case len(results) > 0 || f.flag("isMeta"):
		return r.aside(ctx, r.said(f, rest, f.flag("isMeta")))
	}
	return r.prompt(ctx, f, rest)
}

// prompt writes the message that begins a turn.
func (r *run) prompt(ctx context.Context, f *fields, content []message.Block) error {
	if err := r.settle(ctx); err != nil {
		return err
	}
	if to, ok := r.tree.rewound(f); ok {
		if err := r.w.MoveTo(ctx, to); err != nil {
			return err
		}
		r.named = "" // the path may have another one in force
	}
	r.tree.begin(f.uuid)
	return r.add(ctx, r.said(f, content, false))
}

// aside writes a message that does not begin a turn. It goes after the open
// answer, so that the answer's parts stay together.
func (r *run) aside(ctx context.Context, d session.Draft) error {
	if r.w.Open() == nil {
		return r.add(ctx, d)
	}
	return r.w.Later(ctx, d)
}

// said is a message from the user, or from Claude Code on the user's behalf.
func (r *run) said(f *fields, content []message.Block, meta bool) session.Draft {
	if meta || isNotice(content) {
		return r.w.Injected(injected, content, f.time)
	}
	return r.w.User(content, f.time)
}

// notices are the beginnings of texts that the user did not type. A slash
// command that expands into a prompt begins with <command-message> and counts
// as typed; one that ran immediately begins with <command-name>.
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

// split divides content into tool results and everything else.
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

// blocks reads content: a string, or a list of blocks.
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
