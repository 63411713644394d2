package facts

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/shell"
)

// maxRequest bounds a request and a decision, in UTF-16 units.
const maxRequest = 240

// user takes what the user said.
func (c *collector) user(text string) {
	skill := c.skill(text)
	own := prose.Own(text).Own
	lines := prose.Lines(own)
	if len(lines) == 0 {
		return
	}
	if request := requestOf(lines); request != "" {
		c.fact(Request, "", strings.TrimSpace(skill+" "+request), "")
	}
	for _, order := range constraints(lines) {
		c.fact(Constraint, "", order, "")
	}
	if c.asked && choice(lines) {
		c.fact(Decision, "", safetext.CutHead(fold(own), maxRequest), "by the user")
	}
	c.asked = false
	c.mentions(own)
}

// mentions takes the values and the names from what was said.
func (c *collector) mentions(text string) {
	for _, v := range valuesOf(text) {
		c.fact(v.class, v.text, v.text, "")
	}
	for _, name := range namesIn(text) {
		c.names.note(name)
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
	if at := attribute(head, "location"); shell.Plausible(at) {
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
func choice(lines []prose.Line) bool {
	first := lines[0].Text
	return len(first) < maxRequest && !acknowledges(first) && choosing().MatchString(first)
}

// answer takes the user's answer to a tool's question.
func (c *collector) answer(text string) {
	if o := []byte(text); rawjson.Valid(o) && rawjson.Kind(o) == '{' {
		if s := strings.Join(rawjson.Strings(o, 16), "; "); s != "" {
			text = s
		}
	}
	if s := safetext.CutHead(fold(text), maxRequest); s != "" {
		c.fact(Decision, "", s, "by the user")
	}
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

var deciding = lazy.Regexp(`(?i)\b(?:decided (?:to|on|that|against)|decision:|going with|(?:I|we)['’]?(?:ll| will) (?:go with|use|stick with|keep|switch to|take)\b.*|opted (?:for|to)|chose (?:to)?|settled on|the plan is to|agreed (?:to|on)|instead of using|rather than using)`)

// prose takes an assistant's text.
func (c *collector) prose(text string) {
	const most = 64 << 10
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	c.asked = false
	for _, line := range prose.Lines(text) {
		for _, s := range prose.Split(line.Text) {
			switch {
			case strings.HasSuffix(s, "?"), strings.HasSuffix(s, "？"):
				c.asked = true
			case len(s) <= maxRequest && deciding().MatchString(s):
				c.fact(Decision, "", s, "")
			}
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		c.checkbox(strings.TrimSpace(line))
	}
	c.mentions(text)
}
