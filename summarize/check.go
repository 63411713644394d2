package summarize

import (
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/tokens"
)

// Reason says why an answer is not a summary.
type Reason string

// The reasons (docs/compaction.md, Refused).
const (
	Empty      Reason = "empty"       // no text: nothing, white space, or thinking only
	CutOff     Reason = "cut-off"     // the output limit ended it
	CalledTool Reason = "tool-call"   // a call, also one written as text
	ErrorText  Reason = "error-text"  // an error or a refusal where a summary should be
	NotSmaller Reason = "not-smaller" // as large as what it replaces
	TooLong    Reason = "too-long"    // above the cap
	NoSections Reason = "no-sections" // without the headings that were asked for
)

// Refusal is an answer that cannot be used as a summary.
type Refusal struct {
	Reason Reason
	Detail string // for people; may be empty
}

func (r *Refusal) Error() string {
	if r.Detail == "" {
		return "summary refused: " + string(r.Reason)
	}
	return fmt.Sprintf("summary refused: %s: %s", r.Reason, r.Detail)
}

// Source is what a summary has to replace.
type Source struct {
	Tokens   int64              // size of what is summarized, previous summary included; 0: not known
	Cap      int64              // tokens that the text may have; 0: no cap
	Sections []string           // headings that have to be there
	Estimate func(string) int64 // counts tokens; nil: tokens.Default
}

var (
	errorStart = lazy.Regexp(`(?i)^\W*(?:(?:an? |the )?(?:internal |server |unexpected )*(?:error|exception)\b[^\n]{0,60}:|` +
		`error (?:generating|creating|while)\b|(?:compaction|summari[sz]ation|summary|request) (?:failed|timed out)|` +
		`failed to (?:generate|create|produce|write|summari[sz]e)\b|traceback \(most recent call last\)|` +
		`(?:i am|i'm|i’m|we are|we're) (?:sorry|unable)|sorry,|i (?:cannot|can't|can’t|can not)\b|no summary\b)`)
	toolStart = lazy.Regexp("(?i)^[\\s`]*(?:json|xml)?\\s*(?:<tool_calls?>|<function_calls?>|<invoke\\b|<tool_use>|\\[tool_calls\\]|" +
		`<[|\x{FF5C}]tool|\{\s*"(?:name|tool|function|tool_calls)"\s*:)`)
	toolAnywhere = lazy.Regexp(`<tool_calls?>|<function_calls?>|<invoke name=`)
)

// Check returns a *Refusal where text is not a summary of its source, or nil.
// The order is from the surest sign to the weakest.
func Check(text string, src Source) error {
	estimate := src.Estimate
	if estimate == nil {
		estimate = tokens.Default{}.Text
	}
	body := strings.TrimSpace(stripThinking(text))
	structured := hasHeading(body)
	switch {
	case body == "":
		return &Refusal{Reason: Empty}
	case toolStart().MatchString(body), !structured && toolAnywhere().MatchString(body):
		return &Refusal{Reason: CalledTool, Detail: "a tool call written as text"}
	case !structured && errorStart().MatchString(body):
		return &Refusal{Reason: ErrorText, Detail: clip(body, 120)}
	}
	if missing := missingSections(body, src.Sections); len(missing) > 0 {
		return &Refusal{Reason: NoSections, Detail: "without " + strings.Join(missing, ", ")}
	}
	size := estimate(body)
	switch {
	case src.Tokens > 0 && size >= src.Tokens:
		return &Refusal{Reason: NotSmaller, Detail: fmt.Sprintf("%d tokens for %d", size, src.Tokens)}
	case src.Cap > 0 && size > src.Cap:
		return &Refusal{Reason: TooLong, Detail: fmt.Sprintf("%d tokens, at most %d", size, src.Cap)}
	}
	return nil
}

// checkMessage judges how an answer ended, before its text is looked at.
func checkMessage(m *message.Message) error {
	switch {
	case m == nil:
		return &Refusal{Reason: Empty}
	case m.Failed():
		return &Refusal{Reason: ErrorText, Detail: clip(m.ErrorMessage, 120)}
	case len(m.ToolCalls()) > 0, m.StopReason == message.StopToolUse:
		return &Refusal{Reason: CalledTool}
	case m.StopReason == message.StopLength:
		return &Refusal{Reason: CutOff}
	}
	return nil
}

func hasHeading(text string) bool {
	for line := range strings.Lines(text) {
		if headingOf(line) != "" {
			return true
		}
	}
	return false
}

func missingSections(text string, want []string) []string {
	if len(want) == 0 {
		return nil
	}
	have := map[string]bool{}
	for line := range strings.Lines(text) {
		have[headingOf(line)] = true
	}
	var missing []string
	for _, w := range want {
		if !have[normalHeading(w)] {
			missing = append(missing, w)
		}
	}
	return missing
}

// clip shortens a text to one line of at most units UTF-16 units.
func clip(text string, units int) string {
	text = strings.Join(strings.Fields(text), " ")
	if cut := message.CutHead(text, units); cut != text {
		return strings.TrimSpace(cut) + "…"
	}
	return text
}
