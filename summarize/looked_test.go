package summarize

import (
	"strings"
	"testing"
)

// What was read and nobody has changed since is told where the request speaks of
// it, by its declarations.
func TestLookedAt(t *testing.T) {
	const request = "U Let parseAnchor in the parser accept a list of names.\n"
	const read = `R parser.go
| package parser
|
| // anchors are names
| func parseAnchor(names string) error {
| 	list := splitNames(names)
| 	return check(list)
| }
| type Unrelated struct{}
`
	for name, tt := range map[string]struct{ more, has, lacks string }{
		"declarations":              {read, "- Read in parser.go: `func parseAnchor(names string) error {`", "splitNames(names)"},
		"what is not asked about":   {read, "parseAnchor", "Unrelated"},
		"what was changed since":    {read + "E parser.go\n- \treturn check(list)\n+ \treturn nil\n", "", "Read in parser.go"},
		"what was deleted since":    {read + "$ rm parser.go\n| \n", "", "Read in parser.go"},
		"what may have changed":     {read + "$ git checkout main\n| Switched to branch 'main'\n", "", "Read in parser.go"},
		"what was read after that":  {"E parser.go\n- a\n+ b\n" + read, "Read in parser.go", "splitNames(names)"},
		"by a command":              {"$ cat src/parser.py\n| def parse_anchor(names):\n|     pass\n", "- Read in src/parser.py: `def parse_anchor(names):`", ""},
		"of the C family":           {"R p.cpp\n| static bool parse_anchor(const Names& names);\n| return parse_anchor(names);\n", "`static bool parse_anchor(const Names& names);`", "return parse_anchor"},
		"with numbers":              {"R p.ts\n|     7→export function parseAnchor(names: string[]) {\n|     8→  const anchorNames = parse(names)\n", "`export function parseAnchor(names: string[]) {`", "8→"},
		"values in a function":      {"R p.ts\n|     8→  const parseAnchorNames = parse(names)\n", "", "parse(names)"},
		"rules for those who work":  {"R AGENTS.md\n| # Guide\n| Never push to main.\n| The tests are fast.\n", "- Read in AGENTS.md: `Never push to main.`", "fast"},
		"a list of what is to do":   {"R AGENTS.md\n| - [ ] Always rename parseAnchor\n", "", "rename"},
		"a secret":                  {"R p.go\n| const parseAnchorNames = \"sk-ant-api03-" + strings.Repeat("aB3dE9", 16) + "AA\"\n", "", "aB3dE9aB3dE9"},
		"what stays in the summary": {read + "A I am done reading.\n", "parseAnchor(names string)", ""},
	} {
		text := Extract(Input{History: play(t, "agent: pi\n---\n"+request+tt.more), MaxOutput: 4000}).Summary
		if !strings.Contains(text, tt.has) || tt.lacks != "" && strings.Contains(text, tt.lacks) {
			t.Errorf("%s: has %q, lacks %q:\n%s", name, tt.has, tt.lacks, text)
		}
	}
}
