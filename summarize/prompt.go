package summarize

import (
	"embed"
	"strings"
	"sync"
	"text/template"
)

//go:embed prompts/*.md
var promptFiles embed.FS

var prompts = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(promptFiles, "prompts/*.md"))
})

// prompt writes one of the files in prompts/. The files are part of the
// program, so one that cannot be written is a mistake in the program.
func prompt(name string, data any) string {
	var b strings.Builder
	if err := prompts().ExecuteTemplate(&b, name+".md", data); err != nil {
		panic("summarize: prompt " + name + ": " + err.Error())
	}
	return strings.TrimSpace(b.String())
}

// systemPrompt is the system prompt of every summary request.
func systemPrompt() string { return prompt("system", nil) }

// Headings of a summary, and of the summary of a turn's beginning.
var (
	sections       = []string{"Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"}
	prefixSections = []string{"Original Request", "Progress So Far", "Context Needed to Continue"}
)

// instructions say what to do with the transcript. They end with the base
// prompt, so that a caller's own prompt has the last word.
type instructions struct {
	base     string // a caller's own prompt; "": ours
	prefix   bool   // the beginning of a split turn
	branch   bool   // a branch that was left
	update   bool   // there is a previous summary
	pass     int    // part of a long conversation, from 1; 0: all of it
	passes   int
	short    bool   // ask for the short summary in the same pass
	target   int64  // tokens to aim for; 0: it is not said
	split    bool   // the range ends within a turn, whose two halves are summarized apart
	turn     string // the request of that turn; "": not known
	shown    bool   // the current request stays in view
	reminder string // what was wrong with the previous answer
}

func (i instructions) text() string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(i.reminder)
	if i.pass > 0 {
		add(prompt("fold", map[string]int{"Pass": i.pass, "Passes": i.passes}))
	}
	if i.update {
		add(prompt("update", nil))
	}
	if i.base != "" {
		add(i.around())
	}
	switch {
	case i.prefix && i.base != "":
		add(prompt("prefix", nil))
		add(i.base)
	case i.prefix:
		add(prompt("prefix", nil))
	case i.base != "":
		add(i.base)
	case i.branch:
		add(prompt("branch", nil))
	default:
		add(prompt("first", nil))
	}
	if i.base == "" {
		add(i.around())
	}
	if i.short {
		add(prompt("short", nil))
	}
	return strings.Join(parts, "\n\n")
}

// around says what the reader of the summary has besides it, and how long it
// should be.
func (i instructions) around() string {
	var parts []string
	if i.split || i.shown {
		parts = append(parts, prompt("halves", map[string]any{"Split": i.split, "Prefix": i.prefix, "Turn": i.turn, "Shown": i.shown}))
	}
	if i.target > 0 {
		parts = append(parts, prompt("target", map[string]int64{"Tokens": i.target, "Words": i.target * 3 / 5}))
	}
	return strings.Join(parts, "\n\n")
}

// request is the content of the one user message of a summary request.
type request struct {
	Conversation string
	Previous     string
	Context      []string // of hooks, one item each
	Known        string   // what is true at the end
	Instructions string
	Focus        string
}

func (r request) text() string { return prompt("request", r) }
