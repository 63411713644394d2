package coppice

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire"
	"github.com/coppice-dev/coppice/wire/dialects"
)

// strict is a dialect that finds a problem wherever a certain word occurs.
type strict struct {
	wire.Dialect
	list, word, kind string
	refused          bool // by the host
}

func (d strict) Validate(body []byte, _ message.Model, _ bool) []wire.Problem {
	n := 0
	for m := range rawjson.Elements(rawjson.Get(body, d.list)) {
		if strings.Contains(string(m), d.word) {
			return []wire.Problem{{Kind: d.kind, Where: fmt.Sprintf("%s.%d.content.0", d.list, n), Detail: "not that word", Refused: d.refused}}
		}
		n++
	}
	return nil
}

// A structural error, and what the host is known to refuse, stop a request and
// name the entry; the rest is a warning. Dialects merge and split messages.
func TestGate(t *testing.T) {
	ctx := context.Background()
	for list, name := range map[string]string{"messages": "anthropic", "input": "openai-responses", "contents": "gemini"} {
		s, err := InMemory(ctx, Options{Facts: message.Model{API: name}})
		if err != nil {
			t.Fatal(err)
		}
		words := []string{"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "iota"}
		calls := &message.Message{Role: message.RoleAssistant, Content: []message.Block{message.Text{Text: "gamma"},
			message.ToolCall{ID: "a", Name: "look", Arguments: []byte(`{}`)}, message.ToolCall{ID: "b", Name: "look", Arguments: []byte(`{}`)}}}
		entries, err := s.Say(ctx, message.User("alpha"), message.User("beta"), calls,
			message.Result(message.ToolCall{ID: "a", Name: "look"}, "delta"), message.Result(message.ToolCall{ID: "b", Name: "look"}, "epsilon"),
			&message.Message{Role: message.RoleAssistant, Content: []message.Block{message.Text{Text: "zeta"}}}, message.User("iota"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Fit(ctx)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := dialects.ByName(name)
		for i, word := range words {
			p.Dialect = strict{d, list, word, "unpaired-call", false}
			var e *RequestError
			if err := p.gate(); !errors.As(err, &e) || e.Problem.Kind != "unpaired-call" || !strings.Contains(err.Error(), e.EntryID) {
				t.Fatalf("%s: %v", name, err)
			}
			// Where messages are merged, it is the first of them.
			m, err := entries[i].Message()
			if err != nil {
				t.Fatal(err)
			}
			merged := i > 0 && name != "openai-responses" && entries[i-1].ID == e.EntryID && m.Role != message.RoleAssistant
			if e.EntryID != entries[i].ID && !merged {
				t.Errorf("%s: %s is in %s, not in %s", name, word, entries[i].ID, e.EntryID)
			}
			p.Dialect, p.Report.Warnings = strict{d, list, word, "max-output", false}, nil
			if err := p.gate(); err != nil || len(p.Report.Warnings) != 1 {
				t.Errorf("%s: a cap stops it: %v", name, err)
			}
			p.Dialect = strict{d, list, word, "image-bytes", true}
			if err := p.gate(); !errors.As(err, &e) || e.Problem.Kind != "image-bytes" {
				t.Errorf("%s: what the host refuses is sent: %v", name, err)
			}
		}
		s.Close()
	}
}

// A place outside the messages belongs to no entry.
func TestGateWithoutAnEntry(t *testing.T) {
	p := &Prepared{}
	for _, where := range []string{"", "messages", "messages.x", "tools.0.name"} {
		if id := p.entryAt(where); id != "" {
			t.Errorf("%q is in %s", where, id)
		}
	}
}
