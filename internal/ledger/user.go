package ledger

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/safetext"
)

// maxRequest bounds a request, a decision and a question, in UTF-16 units.
const maxRequest = 240

// user takes what the user said.
func (c *collector) user(s *said) {
	skill := c.skill(s.text)
	if len(s.lines) == 0 {
		return
	}
	if s.request != "" {
		c.fact(Request, "", strings.TrimSpace(skill+" "+s.request), "")
	}
	for _, order := range s.orders {
		c.fact(Constraint, "", order, "")
	}
	if c.asked && choice(s.lines) {
		c.fact(Decision, "", safetext.CutHead(fold(s.own), maxRequest), "by the user")
	}
	c.asked = false
	c.questions, c.asker = s.questions, "user"
	c.readMentions(s)
}

// readMentions takes the values and the names from what was said.
func (c *collector) readMentions(s *said) {
	for _, v := range s.values {
		c.fact(v.class, v.text, v.text, "")
	}
	for _, name := range s.names {
		c.names.note(name, c.entry)
	}
}

// skill handles a skill that a program put before the user's words. It notes
// where the skill's text can be read again, and returns the command that loads
// it.
func (c *collector) skill(text string) string {
	head, _, ok := strings.Cut(strings.TrimSpace(text), ">")
	if !ok || !strings.HasPrefix(head, "<skill ") {
		return ""
	}
	if at := attribute(head, "location"); plausible(at) {
		c.fact(FileRead, at, at, "skill")
	}
	if name := attribute(head, "name"); name != "" {
		return "/skill:" + safetext.CutHead(name, maxRequest/4)
	}
	return ""
}

func attribute(tag, name string) string {
	_, rest, _ := strings.Cut(tag, " "+name+`="`)
	value, _, ok := strings.Cut(rest, `"`)
	if !ok {
		return ""
	}
	return value
}

var choosing = lazy.Regexp(`(?i)\b(?:option|choice|variant|plan|approach) [a-z0-9]\b|^(?:[a-h1-9]|both|all|neither|none|yes|no)\b|go with|recommended|let['’]?s (?:do|use|go)|^i['’]?d (?:go|prefer|take)|^use `)

// choice reports whether a reply to a question settles something.
func choice(lines []line) bool {
	first := lines[0].text
	return len(first) < maxRequest && !acknowledges(first) && choosing().MatchString(first)
}

func questionsOf(lines []line) []string {
	const most = 3
	var out []string
	for _, line := range lines {
		for _, s := range sentences(line.text) {
			if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") {
				out = append(out, safetext.CutHead(s, maxRequest))
			}
		}
	}
	return out[max(0, len(out)-most):]
}

// answer takes the user's answer to a tool's question.
func (c *collector) answer(text string) {
	if o := []byte(text); rawjson.Valid(o) && rawjson.Kind(o) == '{' {
		if s := flatten(o); s != "" {
			text = s
		}
	}
	if s := safetext.CutHead(fold(text), maxRequest); s != "" {
		c.fact(Decision, "", s, "by the user")
	}
}

// flatten writes the answers of a JSON object as text.
func flatten(raw []byte) string {
	const most = 16
	var out []string
	var walk func(v []byte, depth int)
	walk = func(v []byte, depth int) {
		switch {
		case len(out) >= most || depth > 6:
		case rawjson.Kind(v) == '"':
			out = append(out, rawjson.String(v))
		case rawjson.Kind(v) == '[':
			for e := range rawjson.Elements(v) {
				walk(e, depth+1)
			}
		default:
			for _, m := range rawjson.Members(v) {
				walk(m, depth+1)
			}
		}
	}
	walk(raw, 0)
	return strings.Join(out, "; ")
}

// refusal returns what the user said when refusing a tool call in Claude
// Code.
func refusal(result string) string {
	const mark = "the user said:\n"
	if i := strings.Index(result[:min(len(result), 600)], mark); i >= 0 && strings.HasPrefix(result, "The user doesn't want to") {
		return result[i+len(mark):]
	}
	return ""
}

// prose takes an assistant's text.
func (c *collector) prose(s *said) {
	for _, d := range s.decisions {
		c.fact(Decision, "", d, "")
	}
	if strings.Contains(s.own, "[ ]") || strings.Contains(s.own, "[x]") {
		for line := range strings.SplitSeq(s.own, "\n") {
			c.checkbox(strings.TrimSpace(line))
		}
	}
	c.questions, c.asker = s.questions, "assistant"
	c.asked = len(c.questions) > 0
	if c.asked && !slices.Contains(c.questions, lastSentence(s.lines)) && len(c.questions) < 2 {
		c.questions = nil // asked in the middle, not at the end
	}
	c.readMentions(s)
}

func lastSentence(lines []line) string {
	all := sentences(lines[len(lines)-1].text)
	return all[len(all)-1]
}
