package main

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

func TestCommittedFileIsTheGenerators(t *testing.T) {
	committed, err := os.ReadFile("../sample-session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.ReplaceAll(committed, []byte("\r\n"), []byte("\n")), generate()) {
		t.Error("go run ./examples/gensample > examples/sample-session.jsonl")
	}
}

var generated = sync.OnceValue(generate)

// load reads what the generator writes: all entries and the path to the leaf.
func load(t *testing.T) (all, path []*session.Entry) {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(generated()), []byte("\n"))
	h, ok := session.ParseHeader(lines[0])
	if !ok || h.Version != 3 {
		t.Fatalf("header: %s", lines[0])
	}
	byID := map[string]*session.Entry{}
	for i, l := range lines[1:] {
		e, ok := session.ParseEntry(l)
		if !ok || byID[e.ID] != nil || (e.ParentID != "" && byID[e.ParentID] == nil) {
			t.Fatalf("line %d: no entry, a double id or a parent that is not there", i+2)
		}
		byID[e.ID] = e
		all = append(all, e)
	}
	for e := all[len(all)-1]; e != nil; e = byID[e.ParentID] {
		path = append(path, e)
	}
	slices.Reverse(path)
	return all, path
}

func TestItNoLongerFits(t *testing.T) {
	_, path := load(t)
	var total, results, last int64
	for _, e := range path {
		m := value(e.Message())
		if m == nil {
			continue
		}
		total += estimate(m)
		if m.Role == message.RoleToolResult {
			results += estimate(m)
		}
		if m.Role == message.RoleAssistant && !m.Failed() {
			if m.Usage.TotalTokens <= last {
				t.Errorf("entry %s: the context shrank to %d", e.ID, m.Usage.TotalTokens)
			}
			last = m.Usage.TotalTokens
			if u := m.Usage; u.Input+u.Output+u.CacheRead+u.CacheWrite != u.TotalTokens {
				t.Errorf("entry %s: usage does not add up: %+v", e.ID, u)
			}
		}
	}
	const window, reserve = 128000, 16384
	if last <= window-reserve || last >= window {
		t.Errorf("last measured context %d", last)
	}
	if share := 100 * results / total; total < 110000 || share < 65 || share > 75 {
		t.Errorf("%d tokens, %d%% of them tool results", total, share)
	}
}

func TestResultsFollowTheirCalls(t *testing.T) {
	all, _ := load(t)
	var open []string
	parallel := false
	for _, e := range all {
		m := value(e.Message())
		switch {
		case m != nil && m.Role == message.RoleToolResult:
			if len(open) == 0 || open[0] != m.ToolCallID {
				t.Fatalf("entry %s: result of %s, open %v", e.ID, m.ToolCallID, open)
			}
			open = open[1:]
		case len(open) > 0:
			t.Fatalf("entry %s: calls %v have no results", e.ID, open)
		case m != nil:
			for _, c := range m.ToolCalls() {
				open = append(open, c.ID)
			}
			parallel = parallel || len(open) > 1
		}
	}
	if len(open) > 0 || !parallel {
		t.Errorf("open %v, parallel calls %v", open, parallel)
	}
}

// What the story promises (examples/README.md).
func TestIngredients(t *testing.T) {
	all, path := load(t)
	if len(all) == len(path) {
		t.Error("no branch was left")
	}
	var models []string
	aborted, signed := 0, 0
	for _, e := range path {
		if c := e.ModelChange(); c != nil {
			models = append(models, c.Provider+"/"+c.ModelID)
		}
		m := value(e.Message())
		if m == nil {
			continue
		}
		if m.StopReason == message.StopAborted {
			aborted++
		}
		for _, b := range m.Content {
			switch b := b.(type) {
			case message.Thinking:
				if b.Signature != "" {
					signed++
				}
			case message.Image:
				data, err := base64.StdEncoding.DecodeString(b.Data)
				if err != nil {
					t.Fatal(err)
				}
				if img, err := png.Decode(bytes.NewReader(data)); err != nil || img.Bounds().Dx() != 64 {
					t.Errorf("image: %v", err)
				}
			}
		}
	}
	if want := []string{"anthropic/claude-sonnet-4-5", "local/qwen3-coder-30b"}; !slices.Equal(models, want) {
		t.Errorf("models %v", models)
	}
	if aborted != 1 || signed < 20 {
		t.Errorf("%d aborted answers, %d signed thoughts", aborted, signed)
	}
	file := string(generated())
	for _, want := range []string{"image/png", "株式会社山田製作所", "🧾", "AKIAIOSFODNN7EXAMPLE", "panic: assignment to entry in nil map",
		"No new dependencies", "TestRetryStopsWhenMuted", "two options", "bashExecution"} {
		if !strings.Contains(file, want) {
			t.Errorf("no %q in the session", want)
		}
	}
	if m := value(path[len(path)-1].Message()); m == nil || m.Role != message.RoleUser {
		t.Error("the session does not end with a request")
	}
}
