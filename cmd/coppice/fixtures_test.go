package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// fixtures writes the sessions that scripts begin with.
//
//	work.jsonl   a short session with two branches, tools and a label
//	long.jsonl   forty turns, enough for a compaction
//	old.jsonl    format 1
//	damaged.jsonl a bad middle and a torn tail
//	empty.jsonl, notes.txt
func fixtures(dir string) error {
	for name, text := range map[string]string{
		"work.jsonl":    lines(workSession()),
		"long.jsonl":    lines(longSession()),
		"old.jsonl":     lines(oldSession()),
		"damaged.jsonl": lines(damagedSession()) + `{"type":"message","id":"dddd0006","par`,
		"empty.jsonl":   lines([]string{header("019b0000-0000-7000-8000-00000000000e", 3)}),
		"notes.txt":     "not a session\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

const stamp = "2026-01-01T00:00:00.000Z"

func header(id string, version int) string {
	h := map[string]any{"type": "session", "id": id, "timestamp": stamp, "cwd": "/srv/p"}
	if version > 1 {
		h["version"] = version
	}
	return line(h)
}

// entry makes a line of type message.
func entry(id, parent string, message map[string]any) string {
	e := map[string]any{"type": "message", "id": id, "parentId": nil, "timestamp": stamp, "message": message}
	if parent != "" {
		e["parentId"] = parent
	}
	return line(e)
}

func user(text string) map[string]any {
	return map[string]any{"role": "user", "content": text, "timestamp": 1767225600000}
}

// assistant makes a message of text and calls.
func assistant(text string, calls ...map[string]any) map[string]any {
	content, stop := []any{}, "stop"
	if text != "" {
		content = append(content, map[string]any{"type": "text", "text": text})
	}
	for _, c := range calls {
		content, stop = append(content, c), "toolUse"
	}
	return map[string]any{"role": "assistant", "content": content, "api": "anthropic-messages", "provider": "anthropic",
		"model": "claude-sonnet-4-5", "stopReason": stop, "timestamp": 1767225600000,
		"usage": map[string]any{"input": 100, "output": 20, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 120,
			"cost": map[string]any{"input": 0.001, "output": 0.002, "cacheRead": 0, "cacheWrite": 0, "total": 0.003}}}
}

func call(id, name string, args map[string]any) map[string]any {
	return map[string]any{"type": "toolCall", "id": id, "name": name, "arguments": args}
}

func result(id, name, text string) map[string]any {
	return map[string]any{"role": "toolResult", "toolCallId": id, "toolName": name, "isError": false,
		"content": []any{map[string]any{"type": "text", "text": text}}, "timestamp": 1767225600000}
}

func workSession() []string {
	return []string{
		header("019b0000-0000-7000-8000-000000000001", 3),
		entry("aaaa0001", "", user("Why does the parser fail? The key is sk-ant-api03-"+strings.Repeat("Ab1", 31))),
		entry("aaaa0002", "aaaa0001", assistant("I look.",
			call("c1", "read", map[string]any{"path": "parser.go", "offset": 10, "limit": 11}),
			call("c2", "bash", map[string]any{"command": "go test ./parser"}))),
		entry("aaaa0003", "aaaa0002", result("c1", "read", "one\ntwo\nthree\nfour")),
		entry("aaaa0004", "aaaa0002", result("c2", "bash", "parser_test.go:42: UNEXPECTED token")),
		entry("bbbb0005", "aaaa0004", assistant("An abandoned idea about the lexer.")),
		// the two results are a chain in a real session; here a fork
		entry("aaaa0006", "aaaa0003", result("c2", "bash", "parser_test.go:42: unexpected token")),
		entry("aaaa0007", "aaaa0006", assistant("Line 42 has a token that is not expected.")),
		line(map[string]any{"type": "label", "id": "aaaa0008", "parentId": "aaaa0007", "timestamp": stamp, "targetId": "aaaa0007", "label": "diagnosis"}),
	}
}

func longSession() []string {
	lines := []string{header("019b0000-0000-7000-8000-000000000002", 3)}
	parent := ""
	add := func(m map[string]any) {
		id := fmt.Sprintf("%08x", len(lines))
		lines = append(lines, entry(id, parent, m))
		parent = id
	}
	for i := range 40 {
		add(user(fmt.Sprintf("Request %d: change module%d.go. %s", i, i, strings.Repeat("Mind the details. ", 20))))
		add(assistant("", call(fmt.Sprintf("c%d", i), "bash", map[string]any{"command": fmt.Sprintf("cat module%d.go", i)})))
		add(result(fmt.Sprintf("c%d", i), "bash", strings.Repeat(fmt.Sprintf("line of module %d\n", i), 60)))
		add(assistant(fmt.Sprintf("Module %d is changed. %s", i, strings.Repeat("It works now. ", 20))))
	}
	return lines
}

func oldSession() []string {
	lines := []string{header("019b0000-0000-7000-8000-000000000003", 1)}
	for _, m := range []map[string]any{user("hello from long ago"), assistant("good day")} {
		lines = append(lines, line(map[string]any{"type": "message", "timestamp": stamp, "message": m}))
	}
	return lines
}

// damagedSession has half a line in the middle, whose child is
// bridged, and an orphaned result.
func damagedSession() []string {
	return []string{
		header("019b0000-0000-7000-8000-000000000004", 3),
		entry("dddd0001", "", user("first")),
		entry("dddd0002", "dddd0001", assistant("lost"))[:60],
		entry("dddd0003", "dddd0002", user("second")),
		entry("dddd0004", "dddd0003", result("nowhere", "bash", "orphan")),
		entry("dddd0005", "dddd0004", assistant("third")),
	}
}

func lines(l []string) string { return strings.Join(l, "\n") + "\n" }

func line(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of texts and numbers
	}
	return string(b)
}
