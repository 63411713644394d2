// Package opencode imports what `opencode export` writes: one JSON document
// with the session's info and its messages, each with its parts.
//
// A tool part holds a call and its result. A compaction is a user message with
// a part of that type, followed by the summary as an answer.
package opencode

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/internal/carry"
	"github.com/coppice-dev/coppice/convert/internal/jsondoc"
	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/session"
)

// Importer reads exports of opencode 1.x.
var Importer convert.Importer = importer{}

type importer struct{}

// Name returns "opencode".
func (importer) Name() string { return "opencode" }

// list is the member of the document that holds the messages.
const list = "messages"

// elements describes how a message begins, to find the next one after damage.
var elements = jsondoc.Elements{List: list, First: []string{"info"}, Is: isMessage}

func isMessage(v []byte) bool { return strings.HasPrefix(carry.Str(v, "info", "id"), "msg_") }

// Recognizes reports whether a document begins like an export.
func (importer) Recognizes(_ string, head []byte) bool {
	for p, err := range jsondoc.Salvage(bytes.NewReader(head), elements) {
		switch {
		case err != nil:
			return false
		case p.Name == "info":
			return isSession(p.Value)
		case p.Element:
			return isMessage(p.Value)
		}
	}
	return false
}

func isSession(info []byte) bool { return strings.HasPrefix(carry.Str(info, "id"), "ses_") }

// Describe reads the session's info, which comes before the messages. If that
// is lost, the time of the first message is used.
func (importer) Describe(ctx context.Context, src convert.Source) (session.Header, error) {
	f, err := src.Open()
	if err != nil {
		return session.Header{}, err
	}
	defer f.Close()
	for p, err := range jsondoc.Salvage(f, elements) {
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case err != nil:
			return session.Header{}, carry.NotOurs(err)
		case p.Name == "info" && isSession(p.Value):
			id := carry.Str(p.Value, "id")
			return session.Header{ID: scribe.SessionID(id), Cwd: carry.Str(p.Value, "directory"), Time: created(p.Value)}, src.Only(id)
		case p.Element && isMessage(p.Value):
			info := carry.Get(p.Value, "info")
			id := carry.Str(info, "sessionID")
			return session.Header{ID: scribe.SessionID(id), Cwd: carry.Str(info, "path", "cwd"), Time: created(info)}, src.Only(id)
		}
	}
	return session.Header{}, convert.ErrNotOurs
}

// Import walks the messages.
func (importer) Import(ctx context.Context, src convert.Source, to *convert.Sink) error {
	r := newReader(to)
	if err := carry.Document(src, to, elements, func(p jsondoc.Part) error { return r.part(ctx, p) }, func() bool { return r.messages > 0 }); err != nil {
		return err
	}
	return r.end(ctx)
}

func created(obj []byte) time.Time { return codec.DecodeTime(carry.Get(obj, "time", "created")) }
