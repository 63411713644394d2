package outcome

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/coppice-dev/coppice/internal/lazy"
)

// Tally is what a test runner or a checker counts at the end.
type Tally struct {
	Passed, Failed, Skipped int
	Tests                   bool   // of tests; otherwise of problems that a checker found
	Line                    string // as it was printed
	Failing                 []string
}

// Bad reports whether something failed or was found.
func (t Tally) Bad() bool { return t.Failed > 0 || len(t.Failing) > 0 }

// Total is how many tests there were.
func (t Tally) Total() int { return t.Passed + t.Failed + t.Skipped }

func (t Tally) String() string {
	if !t.Tests {
		return t.Line
	}
	var parts []string
	if t.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", t.Failed))
	}
	if t.Passed > 0 || t.Failed == 0 {
		parts = append(parts, fmt.Sprintf("%d passed", t.Passed))
	}
	if t.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", t.Skipped))
	}
	return strings.Join(parts, ", ")
}

// words are what is counted, in lower case, and what that is.
var words = sync.OnceValue(func() map[string]kind {
	return map[string]kind{
		"passed": passed, "pass": passed, "passing": passed, "passes": passed, "succeeded": passed, "ok": passed,
		"failed": failed, "fail": failed, "failing": failed, "failure": failed, "failures": failed, "errors": errored, "error": errored,
		"skipped": skipped, "skip": skipped, "ignored": skipped, "pending": skipped, "todo": skipped, "xfailed": skipped, "xfail": skipped,
		"tests": total, "test": total, "examples": total, "example": total, "total": total, "specs": total, "assertions": other, "files": other,
		"problems": found, "problem": found, "issues": found, "issue": found, "warnings": other, "warning": other,
	}
})

// mayCount reports whether a line may have one of the words.
var mayCount = lazy.AnyOf("pass", "succeeded", "ok", "fail", "error", "skip", "ignored", "pending", "todo", "test", "example", "total", "spec", "assertion", "files",
	"problem", "issue", "warning")

type kind int

const (
	none kind = iota
	passed
	failed
	errored
	skipped
	total
	found
	other
)

// maxTallyLine bounds a line that counts, in bytes.
const maxTallyLine = 200

// Count reads the counts off an output. ok is false where nothing is counted.
func Count(output string) (t Tally, ok bool) {
	var c counter
	for line := range strings.SplitSeq(Plain(Edges(output)), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			c.line(line)
		}
	}
	return c.result()
}

type counter struct {
	best    Tally
	rank    int          // of the line that best came from
	parts   map[kind]int // counts that come on lines of their own: "# pass 44"
	partial []string
	okPkgs  int
	badPkgs int
	failing []string
}

func (c *counter) line(line string) {
	c.name(line)
	switch {
	case strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "ok \t"):
		c.okPkgs++
	case strings.HasPrefix(line, "FAIL\t"):
		c.badPkgs++
	}
	if len(line) > maxTallyLine {
		return
	}
	counts, n := countsIn(line)
	if n == 0 {
		return
	}
	if key, v, ok := alone(line); ok { // one number a line: "# pass 44"
		if c.parts == nil {
			c.parts = map[kind]int{}
		}
		c.parts[key] += v
		c.partial = append(c.partial, line)
		return
	}
	t, rank := tallyOf(line, counts)
	switch {
	case rank == 0:
	case rank == c.rank && c.best.Tests && strings.HasPrefix(line, "test result:"):
		c.best.Passed += t.Passed
		c.best.Failed += t.Failed
		c.best.Skipped += t.Skipped
	case rank >= c.rank:
		c.best, c.rank = t, rank
	}
}

// tallyOf judges a line that has counts; rank 0: it counts no tests and no
// problems.
func tallyOf(line string, counts map[kind]int) (Tally, int) {
	t := Tally{Passed: counts[passed], Failed: counts[failed], Skipped: counts[skipped], Line: line}
	_, hasPass := counts[passed]
	_, hasFail := counts[failed]
	n, hasTotal := counts[total]
	if _, problems := counts[found]; problems || !hasPass && !hasFail && !hasTotal {
		t.Passed, t.Failed = 0, counts[found]+counts[errored]
		if _, errs := counts[errored]; !problems && !errs {
			return t, 0
		}
		if problems {
			t.Failed = counts[found]
		}
		return t, 1
	}
	t.Tests = true
	t.Failed += counts[errored]
	low := strings.ToLower(line)
	if !hasPass && hasTotal {
		t.Passed = max(n-t.Failed-t.Skipped, 0)
	}
	switch {
	case strings.Contains(low, "test files") || strings.Contains(low, "test suites") || strings.Contains(low, "suites:"):
		return t, 2
	case !hasPass && !hasFail: // "Ran 12 tests", "12 tests": it does not say how they ended
		return t, 3
	}
	return t, 4
}

// countsIn reads "3 failed", "failed: 3", "failures=3".
func countsIn(line string) (map[kind]int, int) {
	if !strings.ContainsAny(line, "0123456789") || !mayCount(line) {
		return nil, 0
	}
	fields := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t,;|()[]:=", r) })
	counts := map[kind]int{}
	taken := make([]bool, len(fields))
	hits := 0
	note := func(k kind, n, at int) {
		if !taken[at] {
			taken[at] = true
			counts[k] += n
			hits++
		}
	}
	words1st := labelled(line) || alternate(fields)
	for i, f := range fields { // the number first
		n, ok := number(f)
		if !ok {
			continue
		}
		k := none
		for j := i + 1; j < len(fields) && j <= i+2 && k == none; j++ {
			k = words()[strings.ToLower(strings.Trim(fields[j], ".!"))]
			if k == total && j+1 < len(fields) && words()[strings.ToLower(fields[j+1])] != none {
				k = words()[strings.ToLower(strings.Trim(fields[j+1], ".!"))] // "12 tests passed"
			}
			if _, ok := number(fields[j]); ok {
				break
			}
		}
		if k != none && !words1st {
			note(k, n, i)
		}
	}
	if hits == 0 || words1st {
		for i, f := range fields { // the word first
			if k := words()[strings.ToLower(strings.Trim(f, "#ℹ."))]; k != none && i+1 < len(fields) {
				if n, ok := number(fields[i+1]); ok {
					note(k, n, i+1)
				}
			}
		}
		if strings.HasPrefix(strings.ToLower(line), "tests run") && len(fields) > 2 {
			if n, ok := number(fields[2]); ok {
				counts[total] = n
			}
		}
	}
	if n := len(fields); n > 2 && fields[n-2] == "of" && strings.Contains(line, "tests") { // ctest
		if all, ok := number(fields[n-1]); ok {
			delete(counts, passed)
			counts[total] = all
		}
	}
	return counts, hits
}

// alternate reports whether words and their numbers take turns: "waits 9
// errors 0".
func alternate(fields []string) bool {
	if len(fields) < 4 || len(fields)%2 != 0 || words()[strings.ToLower(fields[0])] == total {
		return false
	}
	for i, f := range fields {
		if _, ok := number(f); ok != (i%2 == 1) {
			return false
		}
	}
	return true
}

// number reads a whole number. Most words are none, and an error costs memory.
func number(s string) (n int, ok bool) {
	s = strings.Trim(s, ".")
	if s == "" || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// labelled reports whether the words come before their numbers: "Failed: 3".
func labelled(line string) bool {
	if !strings.ContainsAny(line, ":=") {
		return false
	}
	low := strings.ToLower(line)
	for _, w := range []string{"failed:", "failures:", "passed:", "errors:", "failures=", "errors=", "pass:", "fail:", "skipped="} {
		if i := strings.Index(low, w); i >= 0 {
			rest := strings.TrimLeft(low[i+len(w):], " ")
			return rest != "" && rest[0] >= '0' && rest[0] <= '9'
		}
	}
	return false
}

// alone tells a line that has one count and nothing else: "# pass 44",
// "ℹ fail 0", "12 passing (30ms)", "# FAIL:  1".
func alone(line string) (kind, int, bool) {
	bare := strings.TrimLeft(line, "#ℹ* \t")
	if i := strings.LastIndexByte(bare, '('); i > 0 && strings.HasSuffix(bare, ")") {
		bare = bare[:i]
	}
	f := strings.Fields(strings.ReplaceAll(bare, ":", " "))
	if len(f) != 2 {
		return none, 0, false
	}
	if k := words()[strings.ToLower(f[0])]; k != none && k < found {
		n, err := strconv.Atoi(f[1])
		return k, n, err == nil
	}
	k := words()[strings.ToLower(f[1])]
	n, err := strconv.Atoi(f[0])
	return k, n, err == nil && (k == passed || k == failed || k == skipped || k == errored)
}

// name notes the name of a failing test.
func (c *counter) name(line string) {
	const most = 40
	if name := failingName(line); name != "" && len(c.failing) < most {
		for _, known := range c.failing {
			if known == name {
				return
			}
		}
		c.failing = append(c.failing, name)
	}
}

// failingName is the test that a line says failed, or "".
func failingName(line string) string {
	for _, mark := range []string{"--- FAIL: ", "FAILED ", "FAIL: ", "FAIL  ", "FAIL ", "not ok ", "✗ ", "✖ ", "× ", "✕ "} {
		rest, ok := strings.CutPrefix(line, mark)
		if !ok || strings.HasPrefix(rest, "(") {
			continue
		}
		rest, _, _ = strings.Cut(rest, " - ")
		if mark == "--- FAIL: " || mark == "FAIL: " {
			rest, _, _ = strings.Cut(rest, " (")
		}
		if mark == "not ok " {
			rest = strings.TrimLeft(rest, "0123456789 -")
		}
		if strings.Contains(rest, "problem") || strings.HasPrefix(rest, "Tests") || len(rest) > 160 {
			return ""
		}
		return strings.TrimSpace(rest)
	}
	if rest, ok := strings.CutSuffix(line, " ... FAILED"); ok {
		return strings.TrimSpace(strings.TrimPrefix(rest, "test "))
	}
	return ""
}

func (c *counter) result() (Tally, bool) {
	t := c.best
	if len(c.parts) > 0 && !(c.rank > 2) {
		t = Tally{Tests: true, Passed: c.parts[passed], Failed: c.parts[failed] + c.parts[errored], Skipped: c.parts[skipped],
			Line: strings.Join(c.partial[max(0, len(c.partial)-4):], ", ")}
		if _, ok := c.parts[passed]; !ok {
			t.Passed = max(c.parts[total]-t.Failed-t.Skipped, 0)
		}
		c.rank = 4
	}
	if c.rank < 4 && c.okPkgs+c.badPkgs > 0 { // go test: packages, no counts
		t = Tally{Tests: true, Failed: max(c.badPkgs, 0), Line: goLine(c.okPkgs, c.badPkgs)}
		t.Tests, c.rank = false, 4
	}
	if c.rank == 3 { // "Ran 12 tests"
		if len(c.failing) > 0 {
			t.Passed = max(t.Passed-len(c.failing), 0)
			t.Failed = len(c.failing)
		}
	}
	t.Failing = c.failing
	return t, c.rank > 0 || len(c.failing) > 0
}

func goLine(ok, bad int) string {
	plural := func(n int) string {
		if n == 1 {
			return "1 package"
		}
		return strconv.Itoa(n) + " packages"
	}
	if bad == 0 {
		return plural(ok) + " ok"
	}
	return fmt.Sprintf("%s failed, %d ok", plural(bad), ok)
}
