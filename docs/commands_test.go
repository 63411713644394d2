package docs

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listed is a command in a help text: two spaces, the name, what it does.
var listed = regexp.MustCompile(`(?m)^  ([a-z-]+) {2,}\S.*$`)

// verb is a command with what its help says.
type verb struct{ name, help string }

// verbs are all commands, in the order of the help, each after its parent.
// Cobra's own, help and completion, are left out.
func verbs(sh shell) []verb {
	var out []verb
	var below func(name string)
	below = func(name string) {
		help := sh.run(strings.TrimSpace("coppice "+name) + " --help")
		list, _, _ := strings.Cut(help, "\nFlags:\n")
		if i := strings.Index(list, "\nExamples:\n"); i >= 0 {
			rest := list[i+len("\nExamples:\n"):]
			_, rest, _ = strings.Cut(rest, "\n\n")
			list = rest
		} else {
			list = ""
		}
		for _, m := range listed.FindAllStringSubmatch(list, -1) {
			if m[1] == "help" || m[1] == "completion" {
				continue
			}
			v := verb{name: strings.TrimSpace(name + " " + m[1])}
			v.help = sh.run("coppice " + v.name + " --help")
			out = append(out, v)
			below(v.name)
		}
	}
	below("")
	return out
}

var commands = regexp.MustCompile(`(?s)<!-- commands -->\n.*?<!-- /commands -->`)

// cli.md has the help of every command.
func TestCommandsAreDocumented(t *testing.T) {
	all := verbs(newShell(t))
	if len(all) < 10 {
		t.Fatalf("only %d commands were found", len(all))
	}
	var pages strings.Builder
	pages.WriteString("<!-- commands -->\n")
	for _, v := range all {
		help, _, _ := strings.Cut(v.help, "\nGlobal Flags:\n")
		fmt.Fprintf(&pages, "### coppice %s\n\n```text\n%s```\n\n", v.name, ending(help))
	}
	rewrite(t, "cli.md", commands, func([]string) string { return pages.String() + "<!-- /commands -->" })
}

var shape = regexp.MustCompile("(?ms)^<!-- shape of: ([^;\n]+?)(?:; optional: ([^\n]*?))? -->\n```json\n(.*?)^```$")

// The JSON that a document shows for a command has the members that the
// command prints. Members that the sample session has no use for are named in
// the comment above the block.
func TestJSONShapes(t *testing.T) {
	sh := newShell(t)
	sh.run("coppice compact examples/sample-session.jsonl -o examples/compacted.jsonl")
	seen := 0
	rewrite(t, "cli.md", shape, func(m []string) string {
		seen++
		var shown, got any
		if err := json.Unmarshal([]byte(m[3]), &shown); err != nil {
			t.Fatalf("%s: the document: %v", m[1], err)
		}
		printed := sh.run(m[1])
		if err := json.NewDecoder(strings.NewReader(printed)).Decode(&got); err != nil {
			t.Fatalf("%s: %v in %s", m[1], err, printed)
		}
		have, want := members(got), members(shown)
		for _, k := range strings.Fields(m[2]) {
			delete(want, k)
			delete(have, k)
		}
		if !maps.Equal(have, want) {
			t.Errorf("%s prints the members\n%s\nand cli.md shows\n%s", m[1], slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(want)))
		}
		return m[0]
	})
	if seen == 0 {
		t.Error("cli.md shows no shapes")
	}
}

// members are the paths of all members; the elements of a list count as one.
func members(v any) map[string]bool {
	out := map[string]bool{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, v := range v {
				out[at+k] = true
				if !isData[at+k] {
					walk(at+k+".", v)
				}
			}
		case []any:
			for _, e := range v {
				walk(at, e)
			}
		}
	}
	walk("", v)
	return out
}

// isData lists members whose own members are named by what is in a session
// or in the settings.
var isData = map[string]bool{"ledger": true, "lost": true, "coverage": true, "notCarried": true, "types": true, "roles": true,
	"value": true, "default": true}
