package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/bench/internal/page"
)

// Extraction says of each case what the next reader must know, and nothing that
// no longer holds.
func TestExtractionIsRight(t *testing.T) {
	cases, err := readCases()
	if err != nil {
		t.Fatal(err)
	}
	langs, agents, families := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, c := range cases {
		langs[c.lang], agents[c.agent] = true, true
		families[c.family]++
		t.Run(c.family+"/"+c.name, func(t *testing.T) {
			arms, err := c.arms(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			a := arms[extraction]
			if v := c.judge(a.summary, a.rest); len(v.Missing)+len(v.Stale) > 0 {
				t.Errorf("missing %q, stale %q in\n%s", v.Missing, v.Stale, a.summary)
			}
			for _, m := range c.must {
				if m.MatchString(arms[headTail].rest) {
					t.Errorf("what is kept meets %s alone", m)
				}
			}
		})
	}
	if len(cases) < 60 || len(langs) != 9 || len(agents) != 5 || len(families) < 12 {
		t.Errorf("%d cases, %v, %v, %v", len(cases), langs, agents, families)
	}
}

func TestJudge(t *testing.T) {
	c, err := parseCase("must: spaces\nmust: 12 passed\nnot: Constraints: tabs\nnot: fails\n---\nU x\n%cut\nU y")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, summary string
		missing       int
		stale         []string
	}{
		{"right", "## Constraints\n- Use spaces.\n## Progress\n- tabs went\n- 12 passed", 0, nil},
		{"words excuse nothing", "## Constraints\n- Use spaces (was: tabs).", 1, []string{"- Use spaces (was: tabs)."}},
		{"a part of a section", "## Progress\n### Constraints\n- tabs\n### Done\n- tabs, spaces, 12 passed", 0, []string{"- tabs"}},
		{"anywhere", "## Progress\n- make fails\n", 2, []string{"- make fails"}},
		{"a log: what comes later holds", "user: use tabs\nmake fails\nuser: use spaces", 1, nil},
		{"a log that ends too early", "user: use tabs", 2, []string{"user: use tabs"}},
	} {
		v := c.judge(tc.summary, "")
		if len(v.Missing) != tc.missing || !slices.Equal(v.Stale, tc.stale) {
			t.Errorf("%s: missing %q, stale %q", tc.name, v.Missing, v.Stale)
		}
	}
}

func TestParseCase(t *testing.T) {
	for text, want := range map[string]string{
		"must: x":                      "no line ---",
		"must: x\n---\nU a":            "0 cuts",
		"must: (\n---\nU a\n%cut":      "missing closing",
		"not: (\n---\nU a\n%cut":       "missing closing",
		"must: x\n---\n%over\nU a":     "unknown mark",
		"must: x\n---\n| out\n%cut":    "belongs to nothing",
		"must: x\n---\nU a\n%cut\n| b": "belongs to nothing",
	} {
		if _, err := parseCase(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// The sample session has no summary of a model, an imported one has.
func TestCorpus(t *testing.T) {
	folder := t.TempDir()
	var out bytes.Buffer
	if err := measureCorpus(t.Context(), &out, folder, &out); err == nil || !strings.Contains(err.Error(), "no session below") {
		t.Errorf("%v", err)
	}
	lines := []string{`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/home/mara/src/kiosk"}`,
		`{"type":"message","id":"1","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"Repair the till. Never touch the public API of package billing."}}`,
		`{"type":"message","id":"2","parentId":"1","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"` + strings.Repeat("I look at the till. ", 300) + `"}],"stopReason":"stop"}}`,
		`{"type":"message","id":"3","parentId":"2","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"user","content":"And now the drawer."}}`,
		`{"type":"compaction","id":"4","parentId":"3","timestamp":"2026-01-01T00:00:04.000Z","firstKeptEntryId":"3","tokensBefore":9,"summary":"## Goal\n- Repair the till\n` + strings.Repeat("- It is about the till.\\n", 20) + `"}`}
	if err := os.WriteFile(filepath.Join(folder, "a.jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := measureCorpus(t.Context(), &out, folder, new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	if want := "| pi | 1 | 1 | 1 | 0 |"; !strings.Contains(out.String(), want) || !strings.Contains(out.String(), "| **0** | **0** |") {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

// The document says how many cases there are and how many musts extraction meets.
func TestDocument(t *testing.T) {
	var out, errs bytes.Buffer
	if err := run(context.Background(), nil, &out, &errs); err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join("..", "..", "docs", "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	said, _ := page.Section(string(document), "handover")
	sum := regexp.MustCompile(`\*\*all cases\*\* \| \d+ \| \d+ \| \*\*\d+\*\* \| \*\*0\*\* `)
	if want := sum.FindString(out.String()); want == "" || !strings.Contains(said, want) {
		t.Errorf("go run ./bench/handover -corpus FOLDER -write docs/benchmarks.md would write\n%s", out.String())
	}
}
