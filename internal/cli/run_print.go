package cli

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
)

// runPrinter prints events for people: answers to standard output, the rest to
// standard error. A terminal gets an answer as it streams; anything else gets
// it once it is complete, and nothing of an answer that failed.
type runPrinter struct {
	*app
	before  *agent.Context // of the last call
	session string
	midLine bool // the answer on the terminal has not ended its line
}

func (p *runPrinter) print(e agent.Event) {
	if p.midLine && e.Type != agent.EventMessageUpdate {
		fmt.Fprintln(p.Out) // what is said next does not go on in the answer's line
		p.midLine = false
	}
	switch e.Type {
	case agent.EventMessageStart:
		if e.Context != nil {
			p.before = e.Context
		}
	case agent.EventMessageUpdate:
		if p.Terminal {
			fmt.Fprint(p.Out, e.TextDelta)
			p.midLine = e.TextDelta != "" && !strings.HasSuffix(e.TextDelta, "\n") || e.TextDelta == "" && p.midLine
		}
	case agent.EventMessageEnd:
		switch {
		case e.Role != message.RoleAssistant || e.Text == "":
		case p.Terminal: // it has been shown
		case e.Error == "":
			fmt.Fprintln(p.Out, e.Text)
		}
		if e.Error != "" {
			fmt.Fprintf(p.Err, "! %s\n", e.Error)
		}
	case agent.EventTurnEnd:
		if e.StopReason == message.StopLength {
			p.warn("the answer was cut off by the output limit")
		}
	case agent.EventToolStart:
		fmt.Fprintf(p.Err, "%s %s %s\n", p.meter(), e.ToolName, ansi.Truncate(string(e.Arguments), 100, ""))
	case agent.EventToolEnd:
		if e.IsError {
			first, _, _ := strings.Cut(e.Text, "\n")
			fmt.Fprintf(p.Err, "  %s failed: %s\n", e.ToolName, ansi.Truncate(first, 200, ""))
		}
	case coppice.EventPrune:
		fmt.Fprintf(p.Err, "  pruned %s, %s tokens less\n  %s\n", count(e.Edits, "result", "results"), thousands(e.Saved), aboutPruning(p.session, e.EntryID, e.Switches))
	case agent.EventSession:
		p.session = e.Session
	case coppice.EventCompactionEnd:
		p.compaction(e)
	case agent.EventRetryStart:
		fmt.Fprintf(p.Err, "  trying again (%d): %s\n", e.Try, e.Error)
	case coppice.EventModelChange:
		fmt.Fprintf(p.Err, "model %s\n", e.Model)
	case coppice.EventWarning:
		if e.Model != "" {
			e.Warning = e.Model + ": " + e.Warning
		}
		p.warn("%s", visible(e.Warning))
	case agent.EventRunEnd:
		fmt.Fprintf(p.Err, "used %s\n", used(*e.Used))
	}
}

// used says what a run has used.
func used(u agent.Used) string {
	s := count(int(u.Calls), "call", "calls") + ", "
	if u.Estimated {
		s += "about "
	}
	s += thousands(u.Tokens()) + " tokens"
	if u.CacheRead > 0 {
		s += " (" + thousands(u.CacheRead) + " from the cache)"
	}
	switch {
	case u.USD > 0 && u.Unpriced:
		s += fmt.Sprintf(", more than $%.3f", u.USD)
	case u.USD > 0:
		s += fmt.Sprintf(", $%.3f", u.USD)
	}
	return s
}

func (p *runPrinter) compaction(e agent.Event) {
	switch e.Outcome {
	case compaction.Applied:
		fmt.Fprintf(p.Err, "  compacted (%s, %s): %s -> %s tokens\n", e.Reason, e.Rung, thousands(e.TokensBefore), thousands(e.TokensAfter))
		for _, u := range e.Unheeded {
			fmt.Fprintf(p.Err, "  %s\n", unheeded(u))
		}
	case compaction.Failed:
		fmt.Fprintf(p.Err, "  %s\n", e.Error)
	}
}

// meter draws how full the window is, with the threshold marked.
func (p *runPrinter) meter() string {
	const cells = 20
	c := p.before
	if c == nil || c.Window <= 0 {
		return ""
	}
	cell := func(n int64) int { return int(min(cells, max(0, n*cells/c.Window))) }
	bar := []rune(strings.Repeat("█", cell(c.Used)) + strings.Repeat("·", cells-cell(c.Used)))
	if mark := cell(c.Threshold); mark < cells {
		bar[mark] = '|'
	}
	return fmt.Sprintf("[%s] %6s", string(bar), thousands(c.Used))
}
