package compaction

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
	"github.com/go-json-experiment/json/jsontext"
)

// Hooks are functions that may change what a compaction does. Nil functions are
// not called.
type Hooks struct {
	// BeforeCompact is asked once per attempt, before anything is summarized.
	BeforeCompact func(ctx context.Context, e BeforeCompact) (Answer, error)
	// Compacting is asked before Coppice makes a summary.
	Compacting func(ctx context.Context, e BeforeCompact) (Guidance, error)
	// BeforeTree is asked before a navigation.
	BeforeTree func(ctx context.Context, e BeforeTree) (TreeAnswer, error)
	// Rejected is called with the reason why a hook's summary was refused;
	// Coppice then makes one.
	Rejected func(why error)
}

func (h Hooks) reject(why error) {
	if h.Rejected != nil {
		h.Rejected(why)
	}
}

// BeforeCompact is what a hook gets before a compaction. The zero value is not
// usable: it comes from a Compactor.
type BeforeCompact struct {
	Plan     *Plan
	Settings Settings
	Trigger  Trigger
	Focus    string

	files func(*Plan) (fileLists, error)
}

// Files returns the complete lists of the files read and modified so far, as
// they would be stored.
func (e BeforeCompact) Files() (read, modified []string, err error) {
	files := e.files
	if files == nil {
		files = func(p *Plan) (fileLists, error) { return filesOfPlan(context.Background(), p) }
	}
	l, err := files(e.Plan)
	if err != nil {
		return nil, nil, err
	}
	read, modified = l.sorted()
	return read, modified, nil
}

// Answer is what BeforeCompact may answer. With the zero value Coppice makes
// the summary.
type Answer struct {
	Cancel bool
	Why    string
	// Summary is used instead of ours, word for word; the hook decides about its
	// sections.
	Summary          string
	ShortSummary     string
	FirstKeptEntryID string // "": as planned
	PreserveData     []byte // JSON object, stored with the compaction
	TokensBefore     *int64 // stored with the compaction; nil: what we measured
	// Details is any JSON, stored unchanged in the entry's details. File lists
	// in it (readFiles, modifiedFiles) replace ours.
	Details []byte
}

// Guidance is what Compacting may answer.
type Guidance struct {
	// Cancel ends the attempt, unless it rescues the next request.
	Cancel       bool
	Why          string
	Prompt       string   // replaces the base prompt
	Context      []string // added lines
	PreserveData []byte   // JSON object, stored with the compaction
}

// Check says what is wrong with a hook's summary: it must say something, be
// smaller than what it replaces, and begin to keep at a valid place for a cut. What depends on the whole request is checked at the commit.
func (p *Plan) Check(a Answer) error {
	if strings.TrimSpace(a.Summary) == "" {
		return errors.New("the summary is empty")
	}
	s, err := measure(p.View, tokens.Default{}, false)
	if err != nil {
		return err
	}
	at := p.Cut
	if id := a.FirstKeptEntryID; id != "" && (p.FirstKept == nil || id != p.FirstKept.ID) {
		c, ok := s.firstKept(id)
		if !ok {
			return fmt.Errorf("entry %q cannot be the first one that is kept", id)
		}
		at = c.at
	}
	covered := s.sum(0, at)
	if err := s.sizer.Err(); err != nil {
		return err
	}
	if p.Previous != nil {
		covered += s.sizer.Message(message.User(p.Previous.Compaction().Summary))
	}
	if n := s.sizer.Message(message.User(a.Summary)); n >= covered {
		return fmt.Errorf("the summary has about %d tokens and replaces %d", n, covered)
	}
	return nil
}

// Messages returns what will be summarized, as the model sees it: the history
// and the first part of a split turn.
func (p *Plan) Messages() (history, prefix []*message.Message, err error) {
	if history, err = timeline.ItemMessages(p.historyItems); err != nil {
		return nil, nil, err
	}
	prefix, err = timeline.ItemMessages(p.prefixItems)
	return history, prefix, err
}

// Conversation returns both parts as a summarizer gets them: quoted, shortened
// and masked. mask nil hides the known shapes of secrets and the values of secret variables of the environment.
func (p *Plan) Conversation(mask func(string) string) (history, prefix string, err error) {
	h, f, err := p.Messages()
	if err != nil {
		return "", "", err
	}
	o := summarize.SerializeOptions{Mask: mask}
	return summarize.SerializeConversation(h, o), summarize.SerializeConversation(f, o), nil
}

// asGiven puts what a hook says about its compaction into the body of the
// entry, unchanged.
func (a *Answer) asGiven(body []byte) []byte {
	if n := a.TokensBefore; n != nil {
		body = rawjson.Set(body, "tokensBefore", strconv.AppendInt(nil, *n, 10))
	}
	if theirs := oneLine(a.Details); theirs != nil {
		body = withDetails(body, theirs)
	}
	return body
}

// withDetails stores the details of a hook as they were given. Ours go next to
// its members if they are an object without a member coppice, else into the
// entry's own field coppice (docs/format.md).
func withDetails(body, theirs []byte) []byte {
	own := rawjson.Get(body, "details")
	if rawjson.Kind(theirs) != '{' || rawjson.Get(theirs, "coppice") != nil {
		return rawjson.Set(rawjson.Set(body, "details", theirs), "coppice", rawjson.Get(own, "coppice"))
	}
	for name, v := range rawjson.Members(own) {
		if rawjson.Get(theirs, name) == nil {
			theirs = rawjson.Set(theirs, name, v)
		}
	}
	return rawjson.Set(body, "details", theirs)
}

// firstKept checks a hook's choice of the first kept entry: it must be on the
// path, at a valid point for a cut, with something to summarize before it. A
// cut that would cover something unread is moved before it.
func (s span) firstKept(id string) (cut, bool) {
	for i, e := range s.path {
		if e.ID == id && s.valid(i) {
			c, ok := s.cutAt(i)
			covered, _ := s.list(0, c.at)
			return c, ok && len(covered) > 0
		}
	}
	return cut{}, false
}

// oneLine returns foreign JSON on one line, because line breaks would tear the
// log's line, or nil if it is not JSON.
func oneLine(data []byte) []byte {
	v := jsontext.Value(bytes.Clone(data))
	if v.Compact() != nil {
		return nil
	}
	return v
}

// object is oneLine of a JSON object, or nil.
func object(data []byte) []byte {
	if v := oneLine(data); rawjson.Kind(v) == '{' {
		return v
	}
	return nil
}
