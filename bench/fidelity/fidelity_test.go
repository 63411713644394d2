package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/message"
)

func say(role message.Role, text string) *message.Message {
	return &message.Message{Role: role, Content: []message.Block{message.Text{Text: text}}}
}

func called(id, name, args string) *message.Message {
	return &message.Message{Role: message.RoleAssistant, Content: []message.Block{message.ToolCall{ID: id, Name: name, Arguments: []byte(args)}}}
}

func answered(id, text string, failed bool) *message.Message {
	m := say(message.RoleToolResult, text)
	m.ToolCallID, m.IsError = id, failed
	return m
}

func TestPlainFacts(t *testing.T) {
	msgs := []*message.Message{
		say(message.RoleUser, "Fix it. You must keep the API! It is old.\n```\nnever here\n```\n- Don’t push to main"),
		called("1", "read", `{"path":"a.go"}`), answered("1", "package a", false),
		called("2", "read", `{"path":"b.go"}`), answered("2", "", false),
		called("3", "edit", `{"file_path":"b.go"}`), answered("3", "ok", false),
		called("4", "bash", `{"command":"make"}`), answered("4", "x.c:1: error: boom\nmake: done\nCommand exited with code 2", true),
		called("5", "bash", `{"command":"go vet"}`), answered("5", "vet: cannot load", true),
		called("6", "bash", `{"command":"go vet"}`), answered("6", "", false),
	}
	got := plainFacts(msgs)
	want := map[string][]string{
		plainRule:     {"You must keep the API!", "Don’t push to main"},
		plainRead:     {"a.go"},
		plainModified: {"b.go"},
		plainError:    {"x.c:1: error: boom"},
	}
	for _, class := range plainClasses {
		if !slices.Equal(got[class], want[class]) {
			t.Errorf("%s: %q, want %q", class, got[class], want[class])
		}
	}
	scores := plainGrade(msgs, "the rules: You must   keep\nthe API! and b.go")
	if s := scores[plainRule]; s != (score{Facts: 2, Kept: 1}) {
		t.Errorf("rules %v", s)
	}
	if s := scores[plainModified]; s.Kept != 1 {
		t.Errorf("modified %v", s)
	}
}

// An order to write something down is done when it was written after it, and
// not otherwise.
func TestWritten(t *testing.T) {
	const order = "Write the choice down as an ADR."
	ask, adr := say(message.RoleUser, "Take B. "+order), called("1", "write", `{"path":"docs/adr/0007-queue.md"}`)
	other := called("2", "write", `{"path":"docs/queue.md"}`)
	for _, c := range []struct {
		name  string
		order string
		msgs  []*message.Message
		want  bool
	}{
		{"written after it", order, []*message.Message{ask, other, adr}, true},
		{"not written", order, []*message.Message{ask, other}, false},
		{"written before it", order, []*message.Message{adr, ask}, false},
		{"a rule that holds", "Always write choices down as an ADR.", []*message.Message{ask, adr}, false},
		{"a rule with a verb first", "Write choices only as an ADR.", []*message.Message{ask, adr}, false},
	} {
		if got := written(c.order, c.msgs); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// The sample session that comes with the project: extraction loses none of the
// facts that matter and less than a tenth of what the other grader finds, and
// the numbers are the same each time.
func TestSampleSession(t *testing.T) {
	measure := func(args ...string) string {
		var out, errs bytes.Buffer
		if err := run(context.Background(), append([]string{"-corpus", filepath.Join("..", "..", "examples")}, args...), &out, &errs); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	table := measure()
	if amount.Full() {
		if again := measure(); again != table {
			t.Errorf("two runs differ:\n%s\n%s", table, again)
		}
	}
	var records []struct {
		Way         string
		Compactions int
		Measured    int
		Full        map[string]score
		Plain       map[string]score
	}
	if err := json.Unmarshal([]byte(measure("-json")), &records); err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.Way != extraction || r.Compactions == 0 {
			continue
		}
		if r.Measured != 1 {
			t.Errorf("%d sessions", r.Measured)
		}
		for _, class := range plainClasses {
			if s := r.Plain[class]; s.Facts == 0 || s.Kept*10 < s.Facts*9 {
				t.Errorf("%d compactions, %s: %d of %d", r.Compactions, class, s.Kept, s.Facts)
			}
		}
		for _, class := range []string{"constraint", "error", "open", "file-modified", "decision"} {
			if s := r.Full[class]; s.Kept != s.Facts {
				t.Errorf("%d compactions, %s: %d of %d", r.Compactions, class, s.Kept, s.Facts)
			}
		}
	}
}
