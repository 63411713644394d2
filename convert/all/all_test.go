package all

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/corpus"
)

func TestByName(t *testing.T) {
	for _, im := range All() {
		if got, ok := ByName(im.Name()); !ok || got != im {
			t.Errorf("%s is not found under its own name", im.Name())
		}
	}
	for name, want := range map[string]string{"oh-my-pi": "pi", "openclaw": "pi", "coppice": "pi", "gemini-cli": "gemini"} {
		if got, ok := ByName(name); !ok || got.Name() != want {
			t.Errorf("%s is not found as %s", name, want)
		}
	}
	if _, ok := ByName("telex"); ok {
		t.Error("an unknown name was found")
	}
}

// Each kind of file is recognized by its own importer and by no other.
func TestDetect(t *testing.T) {
	files := map[string]struct{ want, head string }{
		"pi":                {"pi", `{"type":"session","version":3,"id":"a","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}` + "\n"},
		"format 1":          {"pi", `{"type":"session","id":"a","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}` + "\n"},
		"oh-my-pi":          {"pi", `{"type":"title","title":"x"}` + "\n" + `{"type":"session","version":3,"id":"a","cwd":"/p"}` + "\n"},
		"opencode":          {"opencode", `{"info":{"id":"ses_1","title":"x"},"messages":[{"info":{"id":"msg_1"`},
		"opencode, turned":  {"opencode", `{"messages":[{"info":{"id":"msg_1"},"parts":[]}],"info":`},
		"gemini":            {"gemini", `{"sessionId":"s","projectHash":"h","startTime":"2026-01-01T00:00:00.000Z","messages":[`},
		"gemini, no hash":   {"gemini", `{"sessionId":"s","messages":[{"type":"user","content":"hi"},`},
		"gemini contents":   {"gemini", `[{"role":"user","parts":[{"text":"hi"}]},`},
		"crush":             {"crush", "SQLite format 3\x00…CREATE TABLE sessions (id TEXT, parent_session_id TEXT"},
		"another database":  {"", "SQLite format 3\x00…CREATE TABLE session (id TEXT"},
		"claude-code":       {"claude-code", `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"hi"},"uuid":"u","sessionId":"s","timestamp":"2026-01-01T00:00:00.000Z"}` + "\n"},
		"codex":             {"codex", `{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"s","cwd":"/p"}}` + "\n"},
		"list of messages":  {"", `[{"role":"user","content":"hi"}]`},
		"object":            {"", `{"messages":[{"role":"user","content":"hi"}]}`},
		"text":              {"", "# notes\n"},
		"nothing":           {"", ""},
		"event of another":  {"", `{"type":"session.start","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","data":{}}` + "\n"},
		"object on a line":  {"", "{}\n"},
		"header of nothing": {"", `{"type":"session"}` + "\n"},
	}
	for name, f := range files {
		t.Run(name, func(t *testing.T) {
			var found []string
			for _, im := range All() {
				if im.Recognizes("file.jsonl", []byte(f.head)) {
					found = append(found, im.Name())
				}
			}
			if len(found) > 1 || f.want != "" && (len(found) != 1 || found[0] != f.want) || f.want == "" && len(found) > 0 {
				t.Errorf("recognized by %v, want %q", found, f.want)
			}
		})
	}
}

func TestDetectEveryRealFile(t *testing.T) {
	for folder, want := range map[string]string{"pi": "pi", "claude-code": "claude-code", "codex": "codex", "opencode": "opencode",
		"gemini-cli": "gemini", "crush": "crush", "copilot-cli": "", "tau-bench": "", "mini-swe-agent": ""} {
		for _, path := range corpus.Files(t, folder) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if im, ok := Detect(path, data[:min(len(data), HeadSize)]); ok {
				got = im.Name()
			}
			if got != want {
				t.Errorf("%s: recognized as %q, want %q", filepath.Base(path), got, want)
			}
		}
	}
}

func FuzzDetect(f *testing.F) {
	for _, s := range []string{`{"info":{"id":"ses_`, `{"sessionId":"s","messages":[{"type":"user"`, `[{"role":"user","parts":[`,
		`{"type":"session","id":"a"}`, "SQLite format 3\x00", `{"type":"session_meta"`, "\xef\xbb\xbf{"} {
		f.Add("x.jsonl", []byte(s))
	}
	f.Fuzz(func(t *testing.T, path string, head []byte) {
		Detect(path, head)
	})
}
