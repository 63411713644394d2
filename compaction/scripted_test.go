package compaction_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// script appends a conversation that is the same each time.
type script struct {
	*rerun
	calls int
}

func (s *script) user(text string) {
	s.append(session.MessageDraft(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: text}}}))
}

func (s *script) says(text string) {
	s.append(session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "p", Model: "m", StopReason: message.StopEnd,
		Content: []message.Block{message.Text{Text: text}}}))
}

// step is a tool call and how it ended.
type step struct {
	tool, args, output string
	failed             bool
}

// tools appends one round: an assistant message with calls, and their results.
func (s *script) tools(calls ...step) {
	m := &message.Message{Role: message.RoleAssistant, Provider: "p", Model: "m", StopReason: message.StopToolUse}
	drafts := []session.Draft{{}}
	for _, c := range calls {
		s.calls++
		id := fmt.Sprintf("call_%d", s.calls)
		m.Content = append(m.Content, message.ToolCall{ID: id, Name: c.tool, Arguments: []byte(c.args)})
		drafts = append(drafts, session.MessageDraft(&message.Message{Role: message.RoleToolResult, ToolCallID: id, ToolName: c.tool,
			IsError: c.failed, Content: []message.Block{message.Text{Text: c.output}}}))
	}
	drafts[0] = session.MessageDraft(m)
	s.append(drafts...)
}

const (
	rule     = "Never touch the public API of package billing."
	decision = "We decided to keep the keys in PostgreSQL."
	failure  = "Error: the signature of the archive has expired"
	address  = "https://tracker.example/PAY-1187"
	openWork = "Rotate the credentials of staging"
)

// begin is the first round: five facts that stay true, and one that will not.
func (s *script) begin() {
	s.user("Move the ledger to the new schema. " + rule + " The ticket is " + address + ".")
	s.tools(step{"todowrite", `{"todos":[{"content":"` + openWork + `","status":"pending"},{"content":"Write the migration","status":"in_progress"}]}`, "ok", false})
	s.tools(step{"bash", `{"command":"make release"}`, "packing\n" + failure, true})
	s.tools(step{"read", `{"path":"config/ledger.toml"}`, "port = 5432\nmode = strict", false})
	s.says(decision)
}

// work is a round on 400 files that no one has seen before.
func (s *script) work(round int) {
	s.user(fmt.Sprintf("Go on with part %d of the migration.", round))
	if round == 4 {
		s.tools(step{"todowrite", `{"todos":[{"content":"` + openWork + `","status":"pending"},{"content":"Write the migration","status":"completed"}]}`, "ok", false})
	}
	for batch := range 20 {
		var calls []step
		for n := range 20 {
			path := fmt.Sprintf("src/part%d/area%d/file%d.go", round, batch, n)
			c := step{"read", `{"path":"` + path + `"}`, strings.Repeat("a line of source text\n", 10), false}
			if n%2 == 1 {
				c = step{"edit", `{"path":"` + path + `","oldText":"a","newText":"b"}`, "edited", false}
			}
			calls = append(calls, c)
		}
		s.tools(calls...)
	}
	s.says(fmt.Sprintf("Part %d is moved: its 400 files compile, and nothing outside of them had to change.", round))
}

// Ten compactions of a scripted session: what was said once is still there, what
// was replaced is there only in its new form, and nothing grows without bound.
func TestTenCompactionsOfAScriptedSession(t *testing.T) {
	dir := t.TempDir()
	log, err := filestore.New(dir, filestore.Options{Sync: filestore.SyncOff}).Create(ctx, session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	s := &script{rerun: newRerun(t, session.New(log, session.Options{}))}
	defer s.s.Close()
	s.begin()
	s.plant()
	s.pin()
	var sizes []int64
	var out *compaction.Outcome
	var view *timeline.View
	for round := 1; round <= 10; round++ {
		s.work(round)
		out, view = s.compact(500)
		sizes = append(sizes, tokens.Default{}.Text(out.Summary))
		s.checkFacts(out.Summary, round)
	}
	for i, n := range sizes[3:] {
		if third := sizes[2]; 10*n > 12*third || 10*n < 8*third {
			t.Errorf("summary %d has %d tokens, the third had %d (%v)", i+4, n, third, sizes)
		}
	}
	if len(s.pins) != 2 {
		t.Errorf("%d pins", len(s.pins))
	}
	c := out.Entry.Compaction()
	if len(c.ModifiedFiles) != 2000 || len(c.ReadFiles) != 2001 || !slices.Contains(c.ReadFiles, "config/ledger.toml") {
		t.Errorf("details list %d modified and %d read files", len(c.ModifiedFiles), len(c.ReadFiles))
	}
	if n := strings.Count(out.Summary, "src/part"); n > 450 {
		t.Errorf("the text lists %d files: %v\n%s", n, sizes, out.Summary)
	}
	s.checkRestart(dir, view)
}

// checkFacts looks for the marked facts, each once.
func (s *script) checkFacts(summary string, round int) {
	s.Helper()
	want := []string{rule, decision, failure, address, "[ ] " + openWork, "[x] Write the migration"}
	if round < 4 {
		want[5] = "[ ] Write the migration"
	}
	for _, text := range want {
		if !strings.Contains(summary, text) {
			s.Fatalf("round %d: %q is not in the summary:\n%s", round, text, summary)
		}
	}
	for _, text := range []string{"- " + rule, "Write the migration", failure} {
		if n := strings.Count(summary, text); n != 1 {
			s.Fatalf("round %d: %q is %d times in the summary:\n%s", round, text, n, summary)
		}
	}
	if strings.Contains(summary, "</conversation>") || strings.Contains(summary, "\n[User]:") {
		s.Fatalf("round %d: text of a tool looks like ours:\n%s", round, summary)
	}
}

// checkRestart: the file, opened again, gives the same request byte for byte.
func (s *script) checkRestart(dir string, view *timeline.View) {
	s.Helper()
	ref := s.s.Ref()
	if err := s.s.Close(); err != nil {
		s.Fatal(err)
	}
	log, err := filestore.New(dir, filestore.Options{}).Open(ctx, ref, session.Mode{})
	if err != nil {
		s.Fatal(err)
	}
	defer log.Close()
	again, err := timeline.Project(ctx, session.New(log, session.Options{}), nil,
		timeline.Policy{Model: s.c.Model, Target: s.c.Settings.Threshold(s.c.Model.Window)})
	if err != nil {
		s.Fatal(err)
	}
	if !bytes.Equal(bytesOf(view), bytesOf(again)) {
		s.Error("after a restart the request is another one")
	}
}
