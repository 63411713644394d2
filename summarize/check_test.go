package summarize

import (
	"errors"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	full := good("", "x").Text("")
	tests := []struct {
		name string
		text string
		src  source
		want reason // "": accepted
	}{
		{"prose without demands", "We looked at files.", source{}, ""},
		{"all sections", full, source{Sections: sections}, ""},
		{"sections in another dress", strings.NewReplacer("## Goal", "# goal:", "## Constraints & Preferences", "**Constraints and Preferences:**").Replace(full), source{Sections: sections}, ""},
		{"empty", "", source{}, empty},
		{"white space", " \n\t", source{}, empty},
		{"thinking", "<think>let me see</think>\n ", source{}, empty},
		{"thinking that never ends", "<think>let me see", source{}, empty},
		{"thinking first", "<think>hm</think>Files.", source{}, ""},
		{"tool call", "<tool_call>{\"name\":\"bash\"}</tool_call>", source{}, calledTool},
		{"tool call as JSON", "```json\n{\"name\": \"read\", \"arguments\": {}}\n```", source{}, calledTool},
		{"tool call after words", "Let me look.\n<function_calls><invoke name=\"bash\">", source{}, calledTool},
		{"a summary about tool calls", full + "The parser reads <tool_call> tags.", source{Sections: sections}, ""},
		{"error", "Error generating summary: request timed out", source{}, errorText},
		{"failure", "(compaction failed)", source{}, errorText},
		{"server error", "An internal server error occurred: try again", source{}, errorText},
		{"traceback", "Traceback (most recent call last):\n  File", source{}, errorText},
		{"refusal", "I'm sorry, but I can't help with that.", source{}, errorText},
		{"a summary about an error", "## Goal\nError: x is undefined has to go", source{}, ""},
		{"one section missing", strings.Replace(full, "## Next Steps", "", 1), source{Sections: sections}, noSections},
		{"as large as its source", "about four tokens", source{Tokens: 4}, notSmaller},
		{"smaller", "about four tokens", source{Tokens: 5}, ""},
		{"above the cap", "about four tokens", source{Cap: 3}, tooLong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := checkAnswer(tt.text, tt.src)
			var r *refusal
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != "" && (!errors.As(err, &r) || r.Reason != tt.want):
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestCleanAnswer(t *testing.T) {
	tests := []struct{ name, in, text, short string }{
		{"plain", " S ", "S", ""},
		{"short block", "S\n<short-summary>two\n lines</short-summary>", "S", "two lines"},
		{"wrapper", "<summary>\nS\n</summary>", "S", ""},
		{"fence", "```markdown\nS\n```", "S", ""},
		{"fence inside", "S\n```\ncode\n```", "S\n```\ncode\n```", ""},
		{"file lists", "S\n\n<read-files>\na\n</read-files>\n\n<modified-files>\nb\n</modified-files>", "S", ""},
		{"thinking", "<think>hm</think>S", "S", ""},
		{"closing tag only", "hm</think>S", "S", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if text, short := cleanAnswer(tt.in); text != tt.text || short != tt.short {
				t.Errorf("got %q, %q, want %q, %q", text, short, tt.text, tt.short)
			}
		})
	}
}

func FuzzCleanAnswer(f *testing.F) {
	f.Add("<summary>S<short-summary>x</short-summary>")
	f.Add("```\n<think></think>\n```")
	f.Fuzz(func(t *testing.T, in string) {
		text, short := cleanAnswer(in)
		if len(text) > len(in)+2 || len(short) > len(in) {
			t.Errorf("%q grew to %q, %q", in, text, short)
		}
	})
}
