package claudecode

import (
	"errors"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/testkit/importtest"
)

// The files of testdata, line by line:
//   - answers: one answer on several lines with results between, parallel
//     calls, images, thinking, a model switch, an interruption, a dangling call;
//   - rewinds: to a line of the screen's, into a group of results, to the start,
//     and a parent that is missing;
//   - compactions: cleared results, boundary and summary, a boundary alone, a
//     summary alone, rewinds across them;
//   - asides: what Claude Code and the user put in while the model worked,
//     errors and other words in the model's place;
//   - damage: a byte-order mark, CRLF, joined, torn, repeated and cut lines,
//     bytes that are not UTF-8, a result that no one asked for.
func TestImport(t *testing.T) {
	importtest.Golden(t, Importer, map[string]importtest.Result{
		"answers": {
			Counts: convert.Counts{Messages: 10, Calls: 3, Results: 2, Images: 2},
			Skipped: map[string]int{"file-history-snapshot": 1, "progress/bash_progress": 1, "subagent message": 1,
				"summary of another session": 1, "toolUseResult copy": 1},
		},
		"rewinds": {
			Counts:  convert.Counts{Messages: 13, Calls: 2, Results: 2, Branches: 3},
			Skipped: map[string]int{"system/turn_duration": 1},
		},
		"compactions": {
			Counts: convert.Counts{Messages: 9, Calls: 2, Results: 1, Compactions: 2, Branches: 2},
			Skipped: map[string]int{"cleared result that is not in the file": 2, "compaction without a summary": 1,
				"shown on screen only": 1},
		},
		"asides": {
			Counts: convert.Counts{Messages: 18, Calls: 2, Results: 2},
			Skipped: map[string]int{"attachment/task_reminder": 1, "last-prompt": 1, "queue-operation/popAll": 1,
				"queue-operation/remove": 1},
		},
		"damage": {
			Counts: convert.Counts{Messages: 6, Calls: 1, Results: 1},
			Skipped: map[string]int{"damaged line": 4, "file-history-snapshot": 1, "message without content": 1,
				"repeated line": 1},
		},
	})
}

func TestDescribe(t *testing.T) {
	h, err := Importer.Describe(t.Context(), importtest.File(t, "testdata/answers.jsonl").Source)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 2, 3, 4, 5, 1, 1e6, time.UTC)
	if h.ID != "7d1c2f34-0000-4000-8000-000000000001" || h.Cwd != "/home/me/pond" || !h.Time.Equal(at) {
		t.Errorf("got %+v", h)
	}
	src := importtest.File(t, "testdata/answers.jsonl").Source
	src.Session = "another"
	if _, err := Importer.Describe(t.Context(), src); !errors.Is(err, convert.ErrNoSession) {
		t.Errorf("another session: got %v", err)
	}
	for _, other := range []string{"", "\n", `{"type":"session","version":3,"id":"x"}`, `{"timestamp":"","type":"session_meta","payload":{"id":"x"}}`} {
		if _, err := Importer.Describe(t.Context(), importtest.Bytes("x.jsonl", []byte(other)).Source); !errors.Is(err, convert.ErrNotOurs) {
			t.Errorf("%q: got %v", other, err)
		}
	}
}

func TestRecognizes(t *testing.T) {
	tests := []struct {
		path, head string
		want       bool
	}{
		{"a.jsonl", `{"type":"summary","summary":"s","leafUuid":"u"}` + "\n", true},
		{"a.jsonl", `{"type":"file-history-snapshot","messageId":"m"}` + "\n", true},
		{"a.jsonl", `{"type":"queue-operation","operation":"enqueue","sessionId":"s"}`, true},
		{"a.jsonl", "\n" + `{"parentUuid":null,"sessionId":"s","type":"user","message":{"content":"cut o`, true},
		{"a.json", `{"type":"summary","summary":"s","leafUuid":"u"}`, false},
		{"a.jsonl", `{"type":"session","version":3,"id":"x","cwd":"/"}`, false},
		{"a.jsonl", `{"timestamp":"t","type":"session_meta","payload":{"id":"x"}}`, false},
		{"a.jsonl", `{"sessionId":"s","messages":[]}`, false},
		{"a.jsonl", "", false},
		{"a.jsonl", "\x00{", false},
	}
	for _, tt := range tests {
		if got := Importer.Recognizes(tt.path, []byte(tt.head)); got != tt.want {
			t.Errorf("%s %q: got %v", tt.path, tt.head, got)
		}
	}
}

func FuzzImport(f *testing.F) { importtest.Fuzz(f, Importer) }

// A summary names the session whose leaf it was made at: this one, also where
// the leaf comes after it, or another, which is listed.
func TestSummaries(t *testing.T) {
	const said = `{"parentUuid":null,"type":"user","uuid":"u1","sessionId":"s","cwd":"/p","timestamp":"2026-01-02T03:04:05.006Z","message":{"role":"user","content":"hello"}}` + "\n"
	line := func(text, leaf string) string {
		return `{"type":"summary","summary":"` + text + `","leafUuid":"` + leaf + `"}` + "\n"
	}
	r := importtest.Import(t, Importer, importtest.Bytes("a.jsonl", []byte(line("theirs", "x1")+line("ours", "u1")+said+line("theirs too", "x2"))))
	name := ""
	for e, err := range r.Session.Log().All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := e.Name(); ok {
			name = n
		}
	}
	if name != "ours" {
		t.Errorf("name %q", name)
	}
	if r.Skipped["summary of another session"] != 2 {
		t.Errorf("skipped %v", r.Skipped)
	}
}
