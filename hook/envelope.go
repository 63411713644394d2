package hook

import (
	"path/filepath"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/session"
)

// Envelope says where an event happens. Every event has one.
type Envelope struct {
	SessionID  string // "": there is no session yet
	File       string // of the session; "": it has no file
	Cwd        string // the session's working directory
	ToolCallID string // of the call that the event is about; "": it is not about a call
}

// EnvelopeOf returns the envelope of an event in the session with this header
// that is kept at ref.
func EnvelopeOf(h session.Header, ref string) Envelope {
	e := Envelope{SessionID: h.ID, Cwd: h.Cwd}
	if filepath.IsAbs(ref) {
		e.File = ref
	}
	return e
}

// begin starts the JSON object that a program gets.
func (e Envelope) begin(name Event) *jsonw.Object {
	o := new(jsonw.Object).Str("type", string(name)).Str("sessionId", e.SessionID)
	return o.OptStr("file", e.File).Str("cwd", e.Cwd).OptStr("toolCallId", e.ToolCallID)
}
