package main

import (
	"regexp"
	"slices"
	"strings"
)

// staleRule is what no line of a summary may say.
type staleRule struct {
	under []string // headings that it looks under, in lower case; nil: all
	re    *regexp.Regexp
	text  string
}

var underRule = regexp.MustCompile(`^([A-Z][A-Za-z& ]*(?:\|[A-Z][A-Za-z& ]*)*): (.+)$`)

func parseStale(s string) (staleRule, error) {
	r := staleRule{text: s}
	if m := underRule.FindStringSubmatch(s); m != nil {
		r.under, s = strings.Split(strings.ToLower(m[1]), "|"), m[2]
	}
	var err error
	r.re, err = regexp.Compile("(?i)" + s)
	return r, err
}

// verdict is what a summary is worth.
type verdict struct {
	Musts   int
	Missing []string // musts that the reader does not see
	Stale   []string // lines that say what no longer holds
}

// judge judges a summary, next to the rest of what the reader sees. A line
// counts under its headings as a claim of what holds now, whatever words it
// has: "was" and arrows excuse nothing. A text without headings is a log, in
// which what comes later replaces what came before: a line of it is stale only
// if none of the musts follows.
func (c *handCase) judge(summary, rest string) verdict {
	v := verdict{Musts: len(c.must)}
	view := summary + "\n\n" + rest
	for _, m := range c.must {
		if !m.MatchString(view) {
			v.Missing = append(v.Missing, m.String())
		}
	}
	log := !strings.HasPrefix(summary, "#") && !strings.Contains(summary, "\n#")
	at := 0
	var under [2]string
	for line := range strings.Lines(summary) {
		at += len(line)
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "## "):
			under = [2]string{strings.ToLower(line[3:])}
		case strings.HasPrefix(line, "### "):
			under[1] = strings.ToLower(line[4:])
		case line == "" || !c.stale(line, under, log):
		case log && slices.ContainsFunc(c.must, func(m *regexp.Regexp) bool { return m.MatchString(summary[at:]) }):
		default:
			v.Stale = append(v.Stale, line)
		}
	}
	return v
}

func (c *handCase) stale(line string, under [2]string, log bool) bool {
	return slices.ContainsFunc(c.not, func(r staleRule) bool {
		return (r.under == nil || log || slices.Contains(r.under, under[0]) || slices.Contains(r.under, under[1])) && r.re.MatchString(line)
	})
}
