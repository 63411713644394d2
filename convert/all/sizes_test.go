package all

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/claudecode"
	"github.com/coppice-dev/coppice/convert/codex"
	"github.com/coppice-dev/coppice/convert/opencode"
	"github.com/coppice-dev/coppice/internal/testkit/importtest"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// Each of these is one conversation of two short turns, "hello" and "hi", of
// which the first was counted as 20,000 tokens and the second as 20,010. Then
// the agent compacted it.

func claudeFile() string {
	line := func(id, parent, kind, more string) string {
		return fmt.Sprintf(`{"uuid":"%s","parentUuid":%s,"type":"%s","isSidechain":false,"sessionId":"s","version":"2.1.29","cwd":"/p","timestamp":"2026-01-01T00:00:0%s.000Z",%s}`,
			id, parent, kind, id, more)
	}
	answer := func(id string, cached int) string {
		return fmt.Sprintf(`"message":{"id":"m%s","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":%d,"output_tokens":1}}`, id, cached)
	}
	return strings.Join([]string{
		line("1", "null", "user", `"message":{"role":"user","content":"hello"}`),
		line("2", `"1"`, "assistant", answer("2", 19_990)),
		line("3", `"2"`, "user", `"message":{"role":"user","content":"hello"}`),
		line("4", `"3"`, "assistant", answer("4", 20_000)),
		line("5", "null", "system", `"subtype":"compact_boundary","logicalParentUuid":"4","compactMetadata":{"trigger":"manual","preTokens":20011}`),
		line("6", `"5"`, "user", `"message":{"role":"user","content":"They said hello."},"isCompactSummary":true`),
	}, "\n") + "\n"
}

func codexFile() string {
	line := func(kind, payload string) string {
		return `{"timestamp":"2026-01-01T00:00:01.000Z","type":"` + kind + `","payload":` + payload + `}`
	}
	said := func(role, kind, text string) string {
		return line("response_item", `{"type":"message","role":"`+role+`","content":[{"type":"`+kind+`","text":"`+text+`"}]}`)
	}
	count := func(n int) string {
		usage := fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":100,"output_tokens":1,"reasoning_output_tokens":0,"total_tokens":%d}`, n, n+1)
		return line("event_msg", `{"type":"token_count","info":{"total_token_usage":`+usage+`,"last_token_usage":`+usage+`,"model_context_window":272000}}`)
	}
	return strings.Join([]string{
		line("session_meta", `{"id":"019f0000-0000-7000-8000-000000000001","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p","originator":"codex-tui","cli_version":"0.140.0","model_provider":"openai"}`),
		line("turn_context", `{"turn_id":"t","cwd":"/p","model":"gpt-5.5","effort":"low","summary":"auto"}`),
		said("user", "input_text", "hello"), said("assistant", "output_text", "hi"), count(20_000),
		said("user", "input_text", "hello"), said("assistant", "output_text", "hi"), count(20_010),
		line("compacted", `{"message":"They said hello."}`),
	}, "\n") + "\n"
}

func opencodeFile() string {
	message := func(id, role, more, parts string) string {
		return fmt.Sprintf(`{"info":{"id":"msg_%s","role":"%s","time":{"created":176722560%s000}%s},"parts":[%s]}`, id, role, id, more, parts)
	}
	answer := func(id string, input int, more, text string) string {
		return message(id, "assistant", fmt.Sprintf(`%s,"providerID":"p","modelID":"m","finish":"stop","tokens":{"input":%d,"output":1,"reasoning":0,"cache":{"read":100,"write":0}}`, more, input-100),
			`{"type":"text","text":"`+text+`"}`)
	}
	return `{"info":{"id":"ses_1","directory":"/p","title":"","time":{"created":1767225600000}},"messages":[` + strings.Join([]string{
		message("1", "user", "", `{"type":"text","text":"hello"}`), answer("2", 20_000, "", "hi"),
		message("3", "user", "", `{"type":"text","text":"hello"}`), answer("4", 20_010, "", "hi"),
		message("5", "user", "", `{"type":"compaction","auto":false}`), answer("6", 20_030, `,"summary":true,"mode":"compaction"`, "They said hello."),
	}, ",") + `]}`
}

// The fixed part of another agent's requests is known from its first calls, and
// stays known after its compaction, and after that is undone. So the sizes
// before and after are of one kind.
func TestSizesAfterImport(t *testing.T) {
	for name, tt := range map[string]struct {
		im   convert.Importer
		file string
	}{
		"claude-code": {claudecode.Importer, claudeFile()},
		"codex":       {codex.Importer, codexFile()},
		"opencode":    {opencode.Importer, opencodeFile()},
	} {
		t.Run(name, func(t *testing.T) {
			s := importtest.Import(t, tt.im, importtest.Bytes("f.jsonl", []byte(tt.file))).Session
			size := func(leaf *session.Entry) timeline.Size {
				v := must.Get(timeline.Project(t.Context(), s, leaf, timeline.Policy{}))
				return must.Get(v.Size(nil, 0))
			}
			near := func(what string, got, want int64) {
				t.Helper()
				if got < want-15 || got > want+15 { // a few short messages
					t.Errorf("%s: %d tokens, want about %d", what, got, want)
				}
			}
			path := must.Get(s.Path(t.Context(), nil))
			last := path[len(path)-1]
			comp := last.Compaction()
			if comp == nil {
				t.Fatalf("the last entry is a %s", last.Type)
			}
			before := size(path[len(path)-2])
			near("fixed before", before.Fixed, 19_995)
			near("before", before.Decision(), 20_011)
			near("tokensBefore", comp.TokensBefore, 20_011)
			after := size(last)
			near("fixed after", after.Fixed, 19_995)
			near("after", after.Decision(), 20_010)
			system := session.MessageDraft(&message.Message{Role: message.RoleSystem, Content: []message.Block{message.Text{Text: "Be brief."}}})
			v := must.Get(timeline.Project(t.Context(), s, last, timeline.Policy{}))
			v = must.Get(v.With(t.Context(), s, s.Prepare(last, system)...))
			near("fixed with a prompt of our own", must.Get(v.Size(nil, 0)).Fixed, 3)
			undone := must.Get((&compaction.Compactor{Session: s}).Undo(t.Context()))
			if undone.Compaction != last {
				t.Fatalf("undo: %+v", undone)
			}
			near("before the undo", undone.TokensBefore, after.Decision())
			near("after the undo", undone.TokensAfter, before.Decision())
			near("fixed after the undo", size(nil).Fixed, 19_995)
		})
	}
}
