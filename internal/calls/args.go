// Package calls reads the tool calls of coding agents: which tool it is, what
// it does to which file, what it runs, which work it lists, which running
// command it asks about. It knows the tools of pi, Claude Code, Codex,
// opencode, Gemini CLI, OpenClaw and those that are named like them, and
// accepts any arguments: a model may send a string where an object belongs.
package calls

import (
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// Name is the last part of a tool's name, in lower case and without
// separators: functions.read_file and mcp__fs__read_file are both readfile.
func Name(tool string) string {
	if i := strings.LastIndex(tool, "__"); i >= 0 {
		tool = tool[i+2:]
	}
	if i := strings.LastIndexAny(tool, "./:"); i >= 0 {
		tool = tool[i+1:]
	}
	tool = strings.ToLower(tool)
	if !strings.ContainsAny(tool, "_-") {
		return tool
	}
	return strings.ReplaceAll(strings.ReplaceAll(tool, "_", ""), "-", "")
}

// Args are a call's arguments: an object, or the text that a model sent
// instead of one.
type Args struct {
	object []byte
	Text   string
}

// ArgsOf reads the arguments. A string that holds an object counts as that
// object; anything that is neither has no members and no text.
func ArgsOf(call message.ToolCall) Args {
	raw := []byte(call.Arguments)
	if !rawjson.Valid(raw) {
		return Args{Text: string(raw)}
	}
	switch rawjson.Kind(raw) {
	case '{':
		return Args{object: raw}
	case '"':
		s := rawjson.String(raw)
		if inner := []byte(s); rawjson.Valid(inner) && rawjson.Kind(inner) == '{' {
			return Args{object: inner}
		}
		return Args{Text: s}
	}
	return Args{}
}

// Masked returns the arguments with each text in them masked as a whole: what is
// taken out of one later may no longer look like the secret that it is a part of.
func (a Args) Masked(mask func(string) string) Args {
	a.Text = mask(a.Text)
	var out []byte
	done := 0
	for m := range rawjson.Marks(a.object) {
		if m.Open || m.Close || m.Name {
			continue
		}
		text := rawjson.String(a.object[m.From:m.To])
		if masked := mask(text); masked != text {
			out = append(append(out, a.object[done:m.From]...), rawjson.Quote(masked)...)
			done = m.To
		}
	}
	if done > 0 {
		a.object = append(out, a.object[done:]...)
	}
	return a
}

// Get returns the value of a member, or nil.
func (a Args) Get(name string) []byte {
	if a.object == nil {
		return nil
	}
	return rawjson.Get(a.object, name)
}

// Str returns a member that is a string, or a number as text, or "".
func (a Args) Str(name string) string {
	v := a.Get(name)
	if rawjson.Kind(v) == '0' {
		return strconv.FormatInt(rawjson.Int(v), 10)
	}
	return rawjson.String(v)
}

// First returns the first of the members that is not empty.
func (a Args) First(names ...string) string {
	for _, n := range names {
		if s := a.Str(n); s != "" {
			return s
		}
	}
	return ""
}

// List returns the strings of a member that is an array.
func (a Args) List(name string) []string { return stringList(a.Get(name)) }

func stringList(raw []byte) []string {
	var out []string
	for e := range rawjson.Elements(raw) {
		if rawjson.Kind(e) == '"' {
			out = append(out, rawjson.String(e))
		}
	}
	return out
}
