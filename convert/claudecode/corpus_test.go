package claudecode

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/testkit/corpus"
	"github.com/coppice-dev/coppice/internal/testkit/importtest"
	"github.com/google/go-cmp/cmp"
)

// Every real session is imported completely: as many messages, calls, results and
// images as an independent count of the file finds, and a sound session.
func TestCorpus(t *testing.T) {
	for _, file := range corpus.Files(t, "claude-code") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			src := importtest.File(t, file)
			r := importtest.Import(t, Importer, src)
			if d := cmp.Diff(count(t, file), r.Counts); d != "" {
				t.Error(d)
			}
			importtest.Check(t, r.Session, r.Counts.Messages > 20)
		})
	}
}

// line is what the count looks at.
type line struct {
	Type, UUID, ParentUUID                                   string
	IsSidechain, IsCompactSummary, IsVisibleInTranscriptOnly bool
	IsMeta                                                   bool
	Operation                                                string
	Message                                                  struct {
		ID      string
		Content json.RawMessage
	}
}

type part struct {
	Type    string
	Content json.RawMessage
}

// count counts over a file, with another JSON reader and without an order:
// answers by their ids, the rest by lines.
func count(t *testing.T, file string) convert.Counts {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var n convert.Counts
	answers, lines, prompts := map[string]bool{}, map[string]bool{}, map[string]int{}
	dec := json.NewDecoder(bufio.NewReader(bytes.NewReader(data))) // it does not read joined lines
	for dec.More() {
		var l line
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		if l.UUID != "" && lines[l.UUID] || l.IsSidechain {
			continue
		}
		lines[l.UUID] = true
		parts := partsOf(l.Message.Content)
		for _, p := range parts {
			switch p.Type {
			case "tool_use":
				n.Calls++
			case "image":
				n.Images++
			case "tool_result":
				n.Results++
				n.Messages++
				for _, p := range partsOf(p.Content) {
					if p.Type == "image" {
						n.Images++
					}
				}
			}
		}
		switch {
		case l.Type == "assistant":
			answers[l.Message.ID] = true
		case l.IsCompactSummary:
			n.Compactions++
		case l.Type == "user" && !l.IsVisibleInTranscriptOnly && saysMore(parts):
			n.Messages++
			if !l.IsMeta && parts[0].Type != "tool_result" {
				prompts[l.ParentUUID]++
			}
		case l.Type == "queue-operation" && l.Operation == "remove":
			n.Messages++
		}
	}
	n.Messages += len(answers)
	for _, same := range prompts {
		n.Branches += same - 1
	}
	return n
}

func partsOf(content json.RawMessage) []part {
	var parts []part
	if json.Unmarshal(content, &parts) != nil && len(content) > 0 {
		return []part{{Type: "text"}}
	}
	return parts
}

// saysMore reports whether there is something besides results of tools.
func saysMore(parts []part) bool {
	for _, p := range parts {
		if p.Type != "tool_result" {
			return true
		}
	}
	return false
}
