package coppice_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// section is the text between two markers of the README.
func section(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(data), "<!-- "+name+" -->\n")
	text, _, end := strings.Cut(rest, "<!-- /"+name+" -->")
	if !ok || !end {
		t.Fatalf("the README has no section %s", name)
	}
	return text
}

// The three numbers in the README are those of the tables.
func TestReadmeNumbers(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	// cells returns the columns of the n-th row that starts with a text.
	cells := func(begins string, n int) []string {
		for line := range strings.SplitSeq(string(page), "\n") {
			if strings.HasPrefix(line, begins) {
				if n--; n < 0 {
					return strings.Split(strings.NewReplacer("*", "", " ", "", "$", "").Replace(line), "|")[1:]
				}
			}
		}
		t.Fatalf("docs/benchmarks.md has no row %q", begins)
		return nil
	}
	dollars := func(cell string) string {
		amount, _, _ := strings.Cut(cell, ",")
		n, err := strconv.ParseFloat(amount, 64)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("$%.0f", n)
	}
	told := cells("| **all cases** |", 0)
	bills := cells("| 64k, claude-opus-5, 5 minutes |", 0)
	open := cells("| context, compacted |", 0)
	times, memory, _ := strings.Cut(open[3], "/")
	for _, want := range []string{
		"**" + told[3] + " of " + told[2] + "**", "summaries of " + told[1] + " short jobs", "hold " + told[6] + ", and " + told[7] + " lines",
		"**" + dollars(bills[4]) + " instead of " + dollars(bills[2]) + "**",
		"**" + strings.TrimSuffix(times, "×") + " × faster", strings.TrimSuffix(memory, "×") + " × less memory",
	} {
		if !strings.Contains(strings.Join(strings.Fields(string(readme)), " "), want) {
			t.Errorf("the README does not say %q", want)
		}
	}
}

// The README's program is built, tested and short; so is the loop over the engine
// that it links to.
func TestReadmePrograms(t *testing.T) {
	agent := strings.TrimSuffix(strings.TrimPrefix(section(t, "agent"), "```go\n"), "```\n")
	program, err := os.ReadFile("examples/forever/main.go")
	if err != nil || !strings.Contains(string(program), agent) {
		t.Errorf("examples/forever has other code than the README (%v)", err)
	}
	embed, err := os.ReadFile("examples/embed/main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, loop, _ := strings.Cut(string(embed), "\nfunc work(")
	loop, _, ok := strings.Cut(loop, "\n}\n")
	if !ok {
		t.Fatal("examples/embed has no func work")
	}
	if n := strings.Count(agent, "\n"); n >= 30 {
		t.Errorf("the README's agent has %d lines", n)
	}
	n := strings.Count(loop, "\n") + 2 // its first and last line too
	if n >= 40 {
		t.Errorf("examples/embed: the loop has %d lines", n)
	}
	readme, err := os.ReadFile("README.md")
	if want := fmt.Sprintf("in %d lines", n); err != nil || !strings.Contains(string(readme), want) {
		t.Errorf("the README does not say that the loop has its length %q (%v)", want, err)
	}
}
