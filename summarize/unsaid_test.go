package summarize

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/ledger"
)

// What the reader sees besides the summary is not repeated in it; requests and
// commands are.
func TestExtractDoesNotRepeatWhatIsVisible(t *testing.T) {
	visible := "<modified-files>\nb.go\nd.go (moved to e.go)\n</modified-files>\n\nNo new dependencies! Add a --json flag; then make."
	facts := work()
	facts.Facts = append(facts.Facts, fact(ledger.Command, "make", "make", "ok"))
	previous := "## Progress\n### Done\n- Files modified: b.go, old.go\n- Files moved: d.go → e.go\n\n## Constraints & Preferences\n- No new dependencies!"
	got := Extract(Input{History: talk(1), Ledger: facts, Visible: visible, PreviousSummary: previous}).Summary
	for _, gone := range []string{"b.go", "e.go", "No new dependencies"} {
		if strings.Contains(got, gone) {
			t.Errorf("%q is said again:\n%s", gone, got)
		}
	}
	for _, there := range []string{"Add a --json flag", "old.go", "c.go", "Files read: a.go", "`make` (ok)", "package billing"} {
		if !strings.Contains(got, there) {
			t.Errorf("%q is missing:\n%s", there, got)
		}
	}
}

// The two parts of a split turn do not say the same.
func TestExtractSaysWhatBothPartsKnowOnce(t *testing.T) {
	facts := work()
	prefix := &ledger.Ledger{Facts: []ledger.Fact{fact(ledger.Request, "", "Make it fast", ""),
		fact(ledger.Constraint, "", "Never use reflection.", ""), fact(ledger.Open, "bench", "Write a benchmark", ""),
		fact(ledger.Command, "make", "make", "exit 2")}}
	facts.Facts = append(facts.Facts, prefix.Facts...) // the history's ledger has all
	got := Extract(Input{History: talk(1), Ledger: facts, Prefix: sources(user(text("Make it fast"))), PrefixLedger: prefix}).Summary
	for _, once := range []string{"Make it fast", "Never use reflection.", "Write a benchmark", "`make` (exit 2)"} {
		if n := strings.Count(got, once); n != 1 {
			t.Errorf("%q is there %d times:\n%s", once, n, got)
		}
	}
	inOrder(t, got, "Never use reflection.", turnContext, "Make it fast")
}

// Lines of another program's summary go where they belong, and a split turn's
// marks are understood when its summary is updated.
func TestExtractReadsOtherHeadings(t *testing.T) {
	previous := "## Open TODOs\n1. Ship it\n\n## Constraints/Rules\nNone captured.\n- **Layout**: keep it\n\n## Exact identifiers\nNone.\n- `abc123`\n\n" +
		"**Turn Context (split turn):**\n\n## Context Needed to Continue\n- Rule: Never touch the public API of package billing.\n- Failing: `make`: `boom`"
	got := Extract(Input{History: talk(1), Ledger: work(), PreviousSummary: previous}).Summary
	inOrder(t, got, "## Constraints & Preferences\n- **Layout**: keep it", "### Blocked", "`make`: `boom`", "## Next Steps", "- [ ] Ship it", "## Critical Context", "`abc123`")
	if strings.Contains(got, "Rule:") || strings.Contains(got, "None") || strings.Count(got, "package billing") != 1 {
		t.Errorf("got:\n%s", got)
	}
}

// The latest request is quoted at length, once: in the next summary the ledger
// has its beginning, in the order in which things were asked.
func TestExtractQuotesTheLatestRequest(t *testing.T) {
	long := "Second job: " + strings.Repeat("and this too, ", 30) + "thanks. Only this."
	facts := &ledger.Ledger{Facts: []ledger.Fact{fact(ledger.Request, "", "First job: fix it", ""), fact(ledger.Request, "", "Second job, as told", "")}}
	first := Extract(Input{History: sources(user(text("First job: fix it")), user(text(long))), Ledger: facts})
	inOrder(t, first.Summary, "## Goal\n- \"First job: fix it\"\n- \"Second job, as told\"\n- Latest request: \"Second job: and this too", "## Constraints")
	facts.Facts = append(facts.Facts, fact(ledger.Request, "", "Third job", ""))
	again := Extract(Input{History: sources(user(text("Third job"))), Ledger: facts, PreviousSummary: first.Summary})
	inOrder(t, again.Summary, "## Goal\n- \"First job: fix it\"\n- \"Second job, as told\"\n- \"Third job\"\n\n## Constraints")
	if again.ShortSummary != "First job: fix it" {
		t.Errorf("short %q", again.ShortSummary)
	}
}
