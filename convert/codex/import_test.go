package codex

import (
	"errors"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/testkit/importtest"
)

// The files of testdata, line by line:
//   - answers: instructions and surroundings, encrypted reasoning, parallel
//     calls with results in another order, images, arguments that are not JSON,
//     every kind of call, usage before and after the results, switches of
//     model and effort, an aborted turn, a repeated session_meta;
//   - rollbacks: over one and several turns, over more than there are, and as
//     the last thing that happened;
//   - compactions: with an encrypted note, with a summary of an old version,
//     with nothing;
//   - damage: CRLF, joined, torn and cut lines, NUL bytes, half a surrogate
//     pair, a result that no one asked for, payloads of other kinds.
func TestImport(t *testing.T) {
	importtest.Golden(t, Importer, map[string]importtest.Result{
		"answers": {
			Counts: convert.Counts{Messages: 17, Calls: 6, Results: 5, Images: 2},
			Skipped: map[string]int{"event_msg/exec_command_end": 1, "event_msg/task_complete": 1, "event_msg/task_started": 1,
				"event_msg/turn_aborted": 1, "event_msg/user_message": 1, "reasoning without content": 1,
				"response_item/ghost_snapshot": 1, "session_meta repeated": 1, "session_meta/base_instructions": 1,
				"session_meta/dynamic_tools": 1, "usage of a call without an answer": 1, "world_state": 1,
				"web_search_call (kept, not shown to the model)": 1},
		},
		"rollbacks": {
			Counts:  convert.Counts{Messages: 10, Calls: 1, Results: 1, Branches: 3},
			Skipped: map[string]int{},
		},
		"compactions": {
			Counts:  convert.Counts{Messages: 5, Calls: 1, Results: 1, Compactions: 3},
			Skipped: map[string]int{"event_msg/context_compacted": 1, "image in a replaced history": 1},
		},
		"damage": {
			Counts: convert.Counts{Messages: 5, Results: 1},
			Skipped: map[string]int{"compaction without a replacement": 1, "damaged line": 3, "message without content": 1,
				"response_item/": 1},
		},
	})
}

func TestDescribe(t *testing.T) {
	h, err := Importer.Describe(t.Context(), importtest.File(t, "testdata/answers.jsonl").Source)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 6, 26, 11, 59, 0, 0, time.UTC)
	if h.ID != "019f0000-0000-7000-8000-000000000001" || h.Cwd != "/home/me/pond" || !h.Time.Equal(at) {
		t.Errorf("got %+v", h)
	}
	// An id that would leave the folder is not used.
	odd := `{"timestamp":"2026-01-02T03:04:05.006Z","type":"session_meta","payload":{"id":"../x"}}`
	h, err = Importer.Describe(t.Context(), importtest.Bytes("x.jsonl", []byte(odd)).Source)
	if err != nil || h.ID != "" || h.Time.Year() != 2026 {
		t.Errorf("got %+v, %v", h, err)
	}
	src := importtest.File(t, "testdata/answers.jsonl").Source
	src.Session = "another"
	if _, err := Importer.Describe(t.Context(), src); !errors.Is(err, convert.ErrNoSession) {
		t.Errorf("another session: got %v", err)
	}
	for _, other := range []string{"", `{"type":"session","version":3,"id":"x"}`, `{"sessionId":"s","type":"user"}`} {
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
		{"r.jsonl", `{"timestamp":"t","type":"session_meta","payload":{"id":"x","base_instructions":{"text":"cut o`, true},
		{"r.jsonl", `{"timestamp":"t","type":"response_item","payload":{}}` + "\n", true},
		{"r.json", `{"timestamp":"t","type":"session_meta","payload":{}}`, false},
		{"r.jsonl", `{"timestamp":"t","type":"session_meta"}`, false},
		{"r.jsonl", `{"type":"session","version":3,"id":"x"}`, false},
		{"r.jsonl", `{"type":"user","sessionId":"s"}`, false},
		{"r.jsonl", "", false},
	}
	for _, tt := range tests {
		if got := Importer.Recognizes(tt.path, []byte(tt.head)); got != tt.want {
			t.Errorf("%s %q: got %v", tt.path, tt.head, got)
		}
	}
}

func FuzzImport(f *testing.F) { importtest.Fuzz(f, Importer) }

// No single line is required: if any one of them is damaged or missing, the rest
// is imported, and what is missing is listed.
func TestImportWithoutAnyOneLine(t *testing.T) {
	src, err := os.ReadFile("testdata/answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(src), "\n")
	for i, line := range lines {
		for _, instead := range []string{"", line[:len(line)/2] + "\n"} {
			file := importtest.Bytes("r.jsonl", []byte(strings.Join(lines[:i], "")+instead+strings.Join(lines[i+1:], "")))
			r := importtest.Import(t, Importer, file)
			if r.Counts.Messages < 14 {
				t.Errorf("without line %d: %+v", i+1, r.Counts)
			}
			if want := strings.TrimSpace(instead) != ""; (r.Skipped["damaged line"] == 1) != want {
				t.Errorf("line %d torn: %v, counted %v", i+1, want, r.Skipped)
			}
		}
	}
	r := importtest.Import(t, Importer, importtest.Bytes("r.jsonl", []byte(strings.Join(lines[1:], ""))))
	if id := r.Session.Log().Header().Cwd; id != "/home/me/pond" {
		t.Errorf("folder %q", id)
	}
}

func TestImportWithoutMeta(t *testing.T) {
	r := importtest.Import(t, Importer, importtest.Bytes("r.jsonl", []byte(`{"timestamp":"2026-01-02T03:04:05.006Z","type":"session_me`+"\n"+
		`{"timestamp":"2026-01-02T03:04:06.006Z","type":"turn_context","payload":{"cwd":"/p","model":"m"}}`+"\n"+
		`{"timestamp":"2026-01-02T03:04:07.006Z","type":"response_item","payload":{"type":"message","role":"user","content":"hello"}}`+"\n")))
	h := r.Session.Log().Header()
	if r.Counts.Messages != 1 || h.Cwd != "/p" || !h.Time.Equal(time.Date(2026, 1, 2, 3, 4, 6, 6e6, time.UTC)) {
		t.Errorf("got %+v, %+v", r.Counts, h)
	}
	if want := map[string]int{"damaged line": 1, "missing session_meta": 1}; !maps.Equal(r.Skipped, want) {
		t.Errorf("skipped %v, want %v", r.Skipped, want)
	}
}
