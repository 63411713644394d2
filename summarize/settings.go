package summarize

import (
	"errors"

	"github.com/coppice-dev/coppice/internal/valid"
)

// Settings say who writes summaries, and how they are asked for
// (docs/settings.md, compaction.*).
type Settings struct {
	RemoteEndpoint string  `json:"remoteEndpoint"` // address of a service, asked first; "": none
	Model          string  `json:"model"`          // "provider/id"; "": the session's own
	Request        Request `json:"request"`        // "": serialized
}

// EnsureDefaults gives every field that is not set its default.
func (s *Settings) EnsureDefaults() {
	if s.Request == "" {
		s.Request = serialized
	}
}

// Validate names the fields that are wrong.
func (s Settings) Validate() error {
	return errors.Join(valid.Address("remoteEndpoint", s.RemoteEndpoint), valid.Model("model", s.Model),
		valid.OneOf("request", s.Request, s.Request.Values()))
}

// Request says how a summary is asked for (docs/compaction.md).
type Request string

// The forms of a request.
const (
	serialized   Request = "serialized"    // the conversation as quoted text
	SharedPrefix Request = "shared-prefix" // after the session's own last request, which the provider's cache may hold
)

// Values are the words that a setting may have.
func (Request) Values() []string { return []string{string(serialized), string(SharedPrefix)} }
