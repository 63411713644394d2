package summarize

import (
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/tokens"
)

// reason says why an answer is not a summary.
type reason string

// The reasons (docs/compaction.md, Summarize).
const (
	empty      reason = "empty"       // no text: nothing, white space, or thinking only
	cutOff     reason = "cut-off"     // the output limit ended it
	calledTool reason = "tool-call"   // a call, also one written as text
	errorText  reason = "error-text"  // an error or a refusal where a summary should be
	notSmaller reason = "not-smaller" // as large as what it replaces
	tooLong    reason = "too-long"    // above the cap
	noSections reason = "no-sections" // without the headings that were asked for
	wrongText  reason = "script"      // not in the user's script
	notTrue    reason = "contradicts" // says what is known to be otherwise
)

// refusal is an answer that cannot be used as a summary.
type refusal struct {
	Reason reason
	Detail string // for people; may be empty
}

func (r *refusal) Error() string {
	if r.Detail == "" {
		return "summary refused: " + string(r.Reason)
	}
	return fmt.Sprintf("summary refused: %s: %s", r.Reason, r.Detail)
}

// source describes what a summary has to replace.
type source struct {
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

// checkAnswer returns a *refusal if text is not a summary of its source, else
// nil. It checks the surest sign first and the weakest last.
func checkAnswer(text string, src source) error {
	estimate := src.Estimate
	if estimate == nil {
		estimate = tokens.Default{}.Text
	}
	body := strings.TrimSpace(stripThinking(text))
	structured := hasHeading(body)
	switch {
	case body == "":
		return &refusal{Reason: empty}
	case toolStart().MatchString(body), !structured && toolAnywhere().MatchString(body):
		return &refusal{Reason: calledTool, Detail: "a tool call written as text"}
	case !structured && errorStart().MatchString(body):
		return &refusal{Reason: errorText, Detail: clip(body, 120)}
	}
	if missing := missingSections(body, src.Sections); len(missing) > 0 {
		return &refusal{Reason: noSections, Detail: "without " + strings.Join(missing, ", ")}
	}
	size := estimate(body)
	switch {
	case src.Tokens > 0 && size >= src.Tokens:
		return &refusal{Reason: notSmaller, Detail: fmt.Sprintf("%d tokens for %d", size, src.Tokens)}
	case src.Cap > 0 && size > src.Cap:
		return &refusal{Reason: tooLong, Detail: fmt.Sprintf("%d tokens, at most %d", size, src.Cap)}
	}
	return nil
}

// checkMessage judges how an answer ended, before its text is looked at.
func checkMessage(m *message.Message) error {
	switch {
	case m == nil:
		return &refusal{Reason: empty}
	case m.Failed():
		return &refusal{Reason: errorText, Detail: clip(m.ErrorMessage, 120)}
	case len(m.ToolCalls()) > 0, m.StopReason == message.StopToolUse:
		return &refusal{Reason: calledTool}
	case m.StopReason == message.StopLength:
		return &refusal{Reason: cutOff}
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
