// Package claudecode imports sessions of Claude Code: JSON Lines files below
// ~/.claude/projects, of versions 2.0 and 2.1.
//
// An answer of the model is on several lines, one block each; they become one
// message. What was said to the model is imported, even what Claude Code added
// itself; what was only shown on screen is counted. Rewinds become branches,
// compactions become compactions, results that were cleared become context
// edits. Subagents' messages stay out of the conversation.
package claudecode

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/internal/jsonl"
	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
)

// The origin that imported assistant messages name.
const (
	provider = "anthropic"
	api      = "anthropic-messages"
)

// Importer reads Claude Code's session files.
var Importer convert.Importer = importer{}

type importer struct{}

// Name returns "claude-code".
func (importer) Name() string { return "claude-code" }

// Recognizes looks for a line that names a session the way Claude Code does.
func (importer) Recognizes(path string, head []byte) bool {
	if !strings.EqualFold(filepath.Ext(path), ".jsonl") {
		return false
	}
	for l := range jsonl.Head(head) {
		f := fields{}
		f.read(l)
		switch {
		case f.typ == "summary" && f.has("leafUuid"), f.typ == "file-history-snapshot" && f.has("messageId"):
			return true
		case f.typ != "" && f.sessionID != "" && !f.has("payload"):
			return true
		}
	}
	return false
}

// starts are the bytes with which a line begins.
var starts = []string{`{"parentUuid":`, `{"type":"`, `{"logicalParentUuid":`}

// Describe reads up to the first line that names session, folder and time. The
// error wraps convert.ErrNotOurs if no line does.
func (importer) Describe(ctx context.Context, src convert.Source) (session.Header, error) {
	var h session.Header
	for raw, err := range jsonl.Objects(ctx, src, jsonl.Options{Starts: starts}) {
		if err != nil {
			return h, err
		}
		f := fields{}
		f.read(raw)
		if f.sessionID == "" {
			continue
		}
		if h.ID == "" {
			h.ID = f.sessionID
		}
		if h.Time.IsZero() {
			h.Time = f.time
		}
		if h.Cwd = rawjson.String(f.get("cwd")); h.Cwd != "" && !h.Time.IsZero() {
			break
		}
	}
	if h.ID == "" {
		return h, fmt.Errorf("%s: %w: no line names a Claude Code session", src.Path, convert.ErrNotOurs)
	}
	if err := src.Only(h.ID); err != nil {
		return h, err
	}
	h.ID = scribe.SessionID(h.ID)
	return h, nil
}

// Import walks the file once.
func (importer) Import(ctx context.Context, src convert.Source, to *convert.Sink) error {
	im := newImport(to)
	opts := jsonl.Options{Starts: starts, Skip: to.Skip, Read: to.Read}
	for raw, err := range jsonl.Objects(ctx, src, opts) {
		if err == nil {
			err = im.take(ctx, raw)
		}
		if err != nil {
			return err
		}
	}
	return im.end(ctx)
}
