package main

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/testkit/scene"
)

// The cases are written as scenes (internal/testkit/scene), one file for each
// family, each case after a line "=== name". Besides what a scene has, its head
// says
//
//	lang: the language that is spoken; en where nothing is said
//	must: what the next reader must see, a regular expression
//	not:  what no line may say; "Blocked|Next Steps: re" looks only under these headings
//
// and lines between its steps say
//
//	%branch        from here on a branch is tried
//	%back          the user goes back to where it began, silently
//	%back summary  the same, with a summary of the branch
//	%merge         the notes of that branch are brought over
//	%cut           what was said so far is covered, what follows is kept
//
//go:embed testdata/*.txt
var testdata embed.FS

// handCase is a conversation and what is true at its end.
type handCase struct {
	family, name string
	agent, lang  string
	cwd          string
	must         []*regexp.Regexp
	not          []staleRule
	parts        []part
}

// part is what was said up to a mark.
type part struct {
	scene *scene.Scene
	then  string // the mark after it; "" at the end
}

var marks = []string{"%branch", "%back", "%back summary", "%merge", "%cut"}

// readCases reads all cases, by family.
func readCases() ([]handCase, error) {
	files, err := testdata.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	var out []handCase
	for _, f := range files {
		text, err := testdata.ReadFile(path.Join("testdata", f.Name()))
		if err != nil {
			return nil, err
		}
		family := strings.TrimSuffix(f.Name(), ".txt")
		for _, one := range strings.Split("\n"+string(text), "\n=== ")[1:] {
			name, body, _ := strings.Cut(one, "\n")
			c, err := parseCase(body)
			if err != nil {
				return nil, fmt.Errorf("%s, %q: %w", f.Name(), name, err)
			}
			c.family, c.name = family, name
			out = append(out, c)
		}
	}
	return out, nil
}

func parseCase(text string) (handCase, error) {
	head, body, ok := strings.Cut(text, "\n---\n")
	if !ok {
		return handCase{}, fmt.Errorf("no line --- after the head")
	}
	c := handCase{}
	top, err := scene.Parse(head)
	if err != nil {
		return c, err
	}
	c.agent, c.lang, c.cwd = top.Get("agent"), top.Get("lang"), top.Get("cwd")
	if c.lang == "" {
		c.lang = "en"
	}
	for _, m := range top.Head["must"] {
		re, err := regexp.Compile("(?is)" + m)
		if err != nil {
			return c, err
		}
		c.must = append(c.must, re)
	}
	for _, n := range top.Head["not"] {
		r, err := parseStale(n)
		if err != nil {
			return c, err
		}
		c.not = append(c.not, r)
	}
	return c, c.parse(head, pad(body))
}

// parse reads the parts of a scene.
func (c *handCase) parse(head, body string) error {
	var lines []string
	end := func(then string) error {
		s, err := scene.Parse(head + "\n---\n" + strings.Join(lines, "\n"))
		if err != nil {
			return err
		}
		c.parts = append(c.parts, part{s, then})
		lines = nil
		return nil
	}
	cuts := 0
	for line := range strings.SplitSeq(body, "\n") {
		if !strings.HasPrefix(line, "%") {
			lines = append(lines, line)
			continue
		}
		if !slices.Contains(marks, line) {
			return fmt.Errorf("unknown mark %s", line)
		}
		if line == "%cut" {
			cuts++
		}
		if err := end(line); err != nil {
			return err
		}
	}
	if cuts != 1 {
		return fmt.Errorf("%d cuts", cuts)
	}
	return end("")
}

// pad lets the assistant read long files after what the user says at first: a
// range that is all news would hardly be smaller as a summary.
func pad(body string) string {
	files := []string{"F docs/columns.txt 90\nF docs/weights.txt 90\n", "F docs/index.txt 60\n"}
	covered, _, _ := strings.Cut(body, "\n%cut")
	var out []string
	said := false
	for line := range strings.SplitSeq(body, "\n") {
		if said && len(files) > 0 && !strings.HasPrefix(line, "  ") && len(strings.Join(out, "\n")) < len(covered) {
			out = append(out, strings.TrimSuffix(files[0], "\n"))
			files = files[1:]
		}
		said = strings.HasPrefix(line, "U ") || said && strings.HasPrefix(line, "  ")
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}
