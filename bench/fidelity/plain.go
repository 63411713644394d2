package main

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/rawjson"
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

// plainGrade finds facts by rules that a reader can check at a glance, and counts
// how many of them are in a text word for word, with each run of white space read
// as one space:
//
//   - rule of the user: a sentence of a user message, outside fenced code,
//     of 12 to 240 bytes, with a word that orders or forbids;
//   - last errors: the last line about a failure in each of the three latest results that a tool marked as failed, if the same call did not
//     succeed later;
//   - file read, file modified: the path argument of each call of a tool named
//     read, and of tools named edit or write. A modified file is not counted as read.
func plainGrade(covered []*message.Message, text string) map[string]score {
	text = squeeze(text)
	scores := map[string]score{}
	for class, facts := range plainFacts(covered) {
		s := score{Facts: len(facts)}
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
	failed := failures{calls: map[string]string{}, lines: map[string]string{}}
	for _, m := range msgs {
		switch m.Role {
		case message.RoleUser:
			for _, s := range rules(m.Text("\n")) {
				add(plainRule, s)
			}
		case message.RoleAssistant:
			for _, c := range m.ToolCalls() {
				failed.calls[c.ID] = c.Name + string(c.Arguments)
				if p := pathOf(c); p != "" && c.Name == "read" && !modified[p] {
					add(plainRead, p)
				}
			}
		case message.RoleToolResult:
			failed.result(m)
		}
	}
	for _, line := range failed.latest(3) {
		add(plainError, line)
	}
	return facts
}

// failures are the calls that failed and did not succeed since.
type failures struct {
	calls map[string]string // name and arguments by id
	lines map[string]string // error line by name and arguments
	order []string
}

func (f *failures) result(m *message.Message) {
	call := f.calls[m.ToolCallID]
	delete(f.lines, call)
	f.order = slices.DeleteFunc(f.order, func(c string) bool { return c == call })
	if line := errorLine(m.Text("\n")); m.IsError && line != "" {
		f.lines[call] = line
		f.order = append(f.order, call)
	}
}

func (f *failures) latest(n int) []string {
	var out []string
	for _, call := range f.order[max(0, len(f.order)-n):] {
		out = append(out, f.lines[call])
	}
	return out
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

// failureWords make a line of an output an error line.
var failureWords = []string{"error", "fail", "cannot", "can't", "no such", "not found", "invalid", "denied", "unexpected"}

// errorLine is the last line of an output that mentions a failure, else the last
// line that starts with a letter or a digit. The line with the exit code does not
// count.
func errorLine(text string) string {
	last := ""
	for _, line := range slices.Backward(strings.Split(text, "\n")) {
		line = strings.TrimSpace(line)
		first, _ := utf8.DecodeRuneInString(line)
		if !unicode.IsLetter(first) && !unicode.IsDigit(first) || len(line) > 240 || strings.HasPrefix(line, "Command ") {
			continue
		}
		lower := strings.ToLower(line)
		if slices.ContainsFunc(failureWords, func(w string) bool { return strings.Contains(lower, w) }) {
			return line
		}
		if last == "" {
			last = line
		}
	}
	return last
}

func squeeze(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", `\[`, "[").Replace(strings.Join(strings.Fields(s), " "))
}
