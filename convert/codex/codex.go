// Package codex imports rollouts of Codex: JSON Lines files below
// ~/.codex/sessions, of versions 0.118 to 0.144.
//
// The conversation is in the lines of type response_item; events repeat it for
// the screen and are only counted. Rollbacks become branches. When Codex
// compacts it replaces its history and does not write a summary: the readable
// part of the replacement becomes the summary, and the encrypted part is kept
// next to it.
package codex

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/internal/jsonl"
	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
)

// api is the API that imported answers name.
const api = "openai-responses"

// Importer reads Codex's rollouts.
var Importer convert.Importer = importer{}

type importer struct{}

// Name returns "codex".
func (importer) Name() string { return "codex" }

// Recognizes looks for a line of one of Codex's types.
func (importer) Recognizes(path string, head []byte) bool {
	if !strings.EqualFold(filepath.Ext(path), ".jsonl") {
		return false
	}
	for l := range jsonl.Head(head) {
		if r := readRecord(l); isKind(r.typ) {
			return r.payload != nil
		}
	}
	return false
}

// starts are the bytes with which a line begins.
var starts = []string{`{"timestamp":`}

// record is a line: what happened, and when. It is valid as long as the line is.
type record struct {
	typ     string
	at      []byte // raw time
	payload []byte // raw; nil: none
	kind    string // the payload's type
}

func readRecord(line []byte) record {
	var r record
	for k, v := range rawjson.Fields(line) {
		switch string(k) {
		case "type":
			r.typ = rawjson.String(v)
		case "timestamp":
			r.at = v
		case "payload":
			r.payload = v
			r.kind = str(v, "type")
		}
	}
	return r
}

func str(obj []byte, name string) string { return rawjson.String(rawjson.Get(obj, name)) }

// isKind reports whether a type is one of Codex's.
func isKind(typ string) bool {
	switch typ {
	case "session_meta", "turn_context", "response_item", "event_msg", "compacted":
		return true
	}
	return false
}

// Describe reads up to the first session_meta. If that is missing, the header
// is taken from the first line and the first turn. The error wraps
// convert.ErrNotOurs if no line is from Codex.
func (importer) Describe(ctx context.Context, src convert.Source) (session.Header, error) {
	var h session.Header
	ours := false
	for raw, err := range jsonl.Objects(ctx, src, jsonl.Options{Starts: starts}) {
		if err != nil {
			return session.Header{}, err
		}
		r := readRecord(raw)
		ours = ours || isKind(r.typ) && r.payload != nil
		if h.Time.IsZero() {
			h.Time = codec.DecodeTime(r.at)
		}
		switch r.typ {
		case "session_meta":
			id := str(r.payload, "id")
			h.ID, h.Cwd = scribe.SessionID(id), str(r.payload, "cwd")
			if t := codec.DecodeTime(rawjson.Get(r.payload, "timestamp")); !t.IsZero() {
				h.Time = t
			}
			return h, src.Only(id)
		case "turn_context":
			h.Cwd = cmp.Or(h.Cwd, str(r.payload, "cwd"))
		}
	}
	if !ours {
		return session.Header{}, fmt.Errorf("%s: %w: it has no line from Codex", src.Path, convert.ErrNotOurs)
	}
	return h, src.Only("")
}

// Import walks the file once.
func (importer) Import(ctx context.Context, src convert.Source, to *convert.Sink) error {
	im := &run{to: to, w: scribe.New(to)}
	opts := jsonl.Options{Starts: starts, Skip: to.Skip, Read: to.Read}
	for raw, err := range jsonl.Objects(ctx, src, opts) {
		if err == nil {
			err = im.record(ctx, readRecord(raw))
		}
		if err != nil {
			return err
		}
	}
	if !im.described {
		to.Skip("missing session_meta")
	}
	return im.w.End(ctx)
}
