// Redact keeps e-mail addresses and phone numbers in tool results from the
// model. It is a hook program for the event tool_result:
//
//	go build -o ~/.config/coppice/hooks/tool_result/redact ./examples/hooks/redact
//
// Name it in the settings with "required": true, and no result gets through
// when it fails.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
)

// block is a content block; the members of other blocks are carried along.
type block map[string]any

var private = []struct {
	what  string
	shape *regexp.Regexp
}{
	{"e-mail", regexp.MustCompile(`[\w.+-]+@[\w-]+(\.[\w-]+)+`)},
	{"phone", regexp.MustCompile(`\+\d[\d ()-]{7,}\d`)},
}

func main() {
	var event struct {
		Result struct {
			Content []block `json:"content"`
		} `json:"result"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&event); err != nil {
		fmt.Fprintln(os.Stderr, "redact:", err)
		os.Exit(1)
	}
	content := event.Result.Content
	if !redact(content) {
		return // no answer: the result stays as it is
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"content": content}); err != nil {
		os.Exit(1)
	}
}

// redact changes the texts in place and reports whether it changed any.
func redact(content []block) bool {
	changed := false
	for _, b := range content {
		text, ok := b["text"].(string)
		if !ok {
			continue
		}
		clean := text
		for _, p := range private {
			clean = p.shape.ReplaceAllString(clean, "["+p.what+" removed]")
		}
		if clean != text {
			b["text"], changed = clean, true
		}
	}
	return changed
}
