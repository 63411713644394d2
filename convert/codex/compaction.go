package codex

import (
	"context"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// What an imported summary says about itself.
const (
	noSummary = "(Codex did not write a summary here. Of the conversation before this point it kept only these messages, word for word.)"
	nothing   = "(Codex did not write a summary here and kept nothing readable of the conversation before this point.)"
	sealed    = "(An encrypted note that only the vendor can read was kept as well.)"
)

// compacted takes a replacement of the history. Nothing before it is kept; the
// replacement goes into the summary.
func (r *run) compacted(ctx context.Context, payload []byte, at time.Time) error {
	history := rawjson.Get(payload, "replacement_history")
	if str(payload, "message") == "" && rawjson.Kind(history) != '[' {
		r.to.Skip("compaction without a replacement")
		return nil
	}
	c := &session.Compaction{TokensBefore: r.context, Summary: r.summary(str(payload, "message"), history)}
	var opaque jsonw.Array
	n := 0
	for item := range rawjson.Elements(history) {
		if str(item, "encrypted_content") != "" {
			opaque.Add(jsonw.Clean(rawjson.JS(item)))
			n++
		}
	}
	if n > 0 {
		var codex, preserve jsonw.Object
		codex.Raw("replacementHistory", opaque.Bytes())
		preserve.Raw("codex", codex.Bytes())
		c.PreserveData = preserve.Bytes()
	}
	return r.w.Compact(ctx, c, at)
}

// summary returns the readable part of a replacement, in order: the vendor's
// own summary if there is one (old versions), then the kept messages.
func (r *run) summary(text string, history []byte) string {
	var out []string
	if text != "" {
		out = append(out, text)
	}
	messages, hidden := 0, false
	for item := range rawjson.Elements(history) {
		if str(item, "type") != "message" {
			hidden = hidden || str(item, "encrypted_content") != ""
			continue
		}
		if messages == 0 && text == "" {
			out = append(out, noSummary)
		}
		messages++
		out = append(out, "["+speaker(item)+"]:\n"+r.readable(rawjson.Get(item, "content")))
	}
	if len(out) == 0 {
		out = append(out, nothing)
	}
	if hidden {
		out = append(out, sealed)
	}
	return strings.Join(out, "\n\n")
}

// speaker names the author of a message in a replacement.
func speaker(item []byte) string {
	switch role := str(item, "role"); {
	case role == "assistant":
		return "Assistant"
	case role != "user", isContext(parts(rawjson.Get(item, "content"))):
		return "Codex"
	}
	return "User"
}

// readable returns the text of a message; anything else is named and counted.
func (r *run) readable(content []byte) string {
	var texts []string
	for _, b := range parts(content) {
		switch b := b.(type) {
		case message.Text:
			texts = append(texts, b.Text)
		case message.Image:
			r.to.Skip("image in a replaced history")
			texts = append(texts, "[image]")
		}
	}
	return strings.Join(texts, "\n")
}
