package main

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
)

// Classes of the plain grader.
const (
	plainRule     = "rule of the user"
	plainError    = "last errors"
	plainRead     = "file read"
	plainModified = "file modified"
)

var plainClasses = []string{plainRule, plainError, plainRead, plainModified}

// plainGrade finds facts by rules that a reader can check at a glance, and
// says how many of them stand in a text word for word, runs of white space
// being one space:
//
//   - rule of the user: a sentence of a user message, outside fenced code,
//     of 12 to 240 bytes, with a word that orders or forbids;
//   - last errors: the last line that says something of each of the three
//     latest results that a tool marked as failed;
//   - file read, file modified: the path argument of each call of a tool named
//     read, and of tools named edit or write. What was modified is not
//     counted as read.
func plainGrade(covered []*message.Message, text string) map[string]ledger.Score {
	text = squeeze(text)
	scores := map[string]ledger.Score{}
	for class, facts := range plainFacts(covered) {
		s := ledger.Score{Facts: len(facts)}
		for _, f := range facts {
			if strings.Contains(text, squeeze(f)) {
				s.Kept++
			}
		}
		scores[class] = s
	}
	return scores
}

func plainFacts(msgs []*message.Message) map[string][]string {
	facts := map[string][]string{}
	add := func(class, fact string) {
		for _, known := range facts[class] {
			if known == fact {
				return
			}
		}
		facts[class] = append(facts[class], fact)
	}
	modified := map[string]bool{}
	for _, m := range msgs {
		for _, c := range m.ToolCalls() {
			if p := pathOf(c); p != "" && (c.Name == "edit" || c.Name == "write") {
				modified[p] = true
				add(plainModified, p)
			}
		}
	}
	var errors []string
	for _, m := range msgs {
		switch m.Role {
		case message.RoleUser:
			for _, s := range rules(m.Text("\n")) {
				add(plainRule, s)
			}
		case message.RoleAssistant:
			for _, c := range m.ToolCalls() {
				if p := pathOf(c); p != "" && c.Name == "read" && !modified[p] {
					add(plainRead, p)
				}
			}
		case message.RoleToolResult:
			if line := lastLine(m.Text("\n")); m.IsError && line != "" {
				errors = append(errors, line)
			}
		}
	}
	for _, e := range errors[max(0, len(errors)-3):] {
		add(plainError, e)
	}
	return facts
}

func pathOf(c message.ToolCall) string {
	if p := rawjson.String(rawjson.Get(c.Arguments, "path")); p != "" {
		return p
	}
	return rawjson.String(rawjson.Get(c.Arguments, "file_path"))
}

// orderWords make a sentence a rule.
var orderWords = []string{"must", "never", "always", "don't", "dont", "only", "should", "shouldn't", "avoid", "ensure", "cannot"}

// rules are the sentences of a message that order or forbid.
func rules(text string) []string {
	var out []string
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		for _, end := range []string{". ", "! ", "? "} {
			line = strings.ReplaceAll(line, end, end[:1]+"\n")
		}
		for s := range strings.Lines(line) {
			s = strings.TrimLeft(strings.TrimSpace(s), "-* ")
			if len(s) >= 12 && len(s) <= 240 && orders(s) {
				out = append(out, s)
			}
		}
	}
	return out
}

func orders(sentence string) bool {
	lower := strings.ToLower(strings.ReplaceAll(sentence, "’", "'"))
	if strings.Contains(lower, "do not ") || strings.Contains(lower, "make sure") {
		return true
	}
	for _, word := range strings.FieldsFunc(lower, func(r rune) bool { return strings.ContainsRune(" ,.;:!?()\"*", r) }) {
		for _, w := range orderWords {
			if word == w {
				return true
			}
		}
	}
	return false
}

// lastLine is the last line of an output that says something: it has letters
// and does not only tell the exit code.
func lastLine(text string) string {
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		if strings.ContainsAny(strings.ToLower(line), "abcdefghijklmnopqrstuvwxyz") && !strings.HasPrefix(line, "Command exited with code") &&
			!strings.HasPrefix(line, "Command aborted") && len(line) <= 1000 {
			return line
		}
	}
	return ""
}

func squeeze(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", `\[`, "[").Replace(strings.Join(strings.Fields(s), " "))
}
