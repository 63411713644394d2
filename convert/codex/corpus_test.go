package codex

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/testkit/corpus"
	"github.com/coppice-dev/coppice/internal/testkit/importtest"
	"github.com/google/go-cmp/cmp"
)

// Every real rollout is imported completely: as many messages, calls, results and
// images as an independent count of the file finds, and a sound session.
func TestCorpus(t *testing.T) {
	for _, file := range corpus.Files(t, "codex") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			r := importtest.Import(t, Importer, importtest.File(t, file))
			if d := cmp.Diff(count(t, file), r.Counts); d != "" {
				t.Error(d)
			}
			importtest.Check(t, r.Session, true)
		})
	}
}

// letters name what is on a line, for a pattern over the whole file.
var letters = map[string]string{
	"reasoning": "a", "message/assistant": "a", "web_search_call": "a",
	"function_call": "c", "custom_tool_call": "c", "tool_search_call": "c",
	"function_call_output": "o", "custom_tool_call_output": "o", "tool_search_output": "o",
	"message/user": "u", "message/developer": "u",
	"compacted": "#", "token_count": "t",
}

var answer = regexp.MustCompile(`[ac]+`)

// count counts over a file with another JSON reader: each line becomes a
// letter, and what the model said in one go is a run of them.
func count(t *testing.T, file string) convert.Counts {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var n convert.Counts
	var script strings.Builder
	total := 0.0
	for _, text := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var l struct {
			Type    string
			Payload map[string]any
		}
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		kind, _ := l.Payload["type"].(string)
		switch {
		case l.Type == "compacted":
			kind = "compacted"
		case l.Type == "event_msg" && kind == "token_count":
			info, _ := l.Payload["info"].(map[string]any)
			sum, _ := info["total_token_usage"].(map[string]any)
			now, _ := sum["total_tokens"].(float64)
			if now == total {
				continue
			}
			total = now
		case l.Type != "response_item":
			continue
		case kind == "message":
			kind += "/" + l.Payload["role"].(string)
		case kind == "reasoning" && l.Payload["encrypted_content"] == nil && len(l.Payload["summary"].([]any)) == 0:
			continue
		}
		script.WriteString(letters[kind])
		if kind != "compacted" {
			n.Images += strings.Count(text, `"type":"input_image"`)
		}
	}
	s := script.String()
	n.Calls, n.Results, n.Compactions = strings.Count(s, "c"), strings.Count(s, "o"), strings.Count(s, "#")
	n.Messages = len(answer.FindAllString(s, -1)) + strings.Count(s, "u") + n.Results
	return n
}
