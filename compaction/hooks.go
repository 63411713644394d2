package compaction

import (
	"bytes"
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// Hooks are the moments at which others may answer. Nil functions are not asked.
type Hooks struct {
	// BeforeCompact is asked once per attempt, before anything is summarized.
	BeforeCompact func(ctx context.Context, e BeforeCompact) (Answer, error)
	// Compacting is asked before a summary of our own is made.
	Compacting func(ctx context.Context, e BeforeCompact) (Guidance, error)
}

// BeforeCompact is what a hook is told.
type BeforeCompact struct {
	Plan    *Plan
	Trigger Trigger
	Focus   string
}

// Answer is what BeforeCompact may answer. The zero value leaves it to us.
type Answer struct {
	Cancel bool
	Why    string
	// Summary replaces ours, word for word; its sections are the hook's affair.
	Summary          string
	ShortSummary     string
	FirstKeptEntryID string // "": as planned
	PreserveData     []byte // JSON object, stored with the compaction
}

// Guidance is what Compacting may answer.
type Guidance struct {
	Prompt       string   // replaces the base prompt
	Context      []string // added lines
	PreserveData []byte   // JSON object, stored with the compaction
}

// firstKept checks a hook's choice of the first kept entry: it must be on the
// path, at a point where a cut may stand, with something to summarize in
// front of it.
func (s span) firstKept(id string) (cut, bool) {
	for i, e := range s.path {
		if e.ID == id && s.valid[i] {
			c := s.dress(i)
			front, _ := s.list(0, c.at)
			return c, len(front) > 0
		}
	}
	return cut{}, false
}

// object returns what others want stored as a JSON object on one line, or nil
// where it is none: it would tear the log's line.
func object(data []byte) []byte {
	v := jsontext.Value(bytes.Clone(data))
	if v.Compact() != nil || v.Kind() != '{' {
		return nil
	}
	return v
}
