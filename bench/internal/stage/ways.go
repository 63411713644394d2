package stage

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// HeadAndTail keeps the beginning and the end of what it had plus what is new.
type HeadAndTail struct{ Text string }

// Take takes messages in and keeps as many tokens as budget says.
func (h *HeadAndTail) Take(newly []ledger.Source, budget int64) {
	h.Text = join(h.Text, newly, func(*message.Message) bool { return true })
	if Size(h.Text) <= budget {
		return
	}
	h.Text = cutHead(h.Text, budget/2) + "\n" + cutTail(h.Text, budget-budget/2)
}

// UserMessages keeps the newest of what the user said.
type UserMessages struct{ Text string }

// Take takes messages in and keeps as many tokens as budget says.
func (u *UserMessages) Take(newly []ledger.Source, budget int64) {
	u.Text = join(u.Text, newly, func(m *message.Message) bool { return m.Role == message.RoleUser })
	u.Text = cutTail(u.Text, budget)
}

func join(text string, newly []ledger.Source, wanted func(*message.Message) bool) string {
	parts := []string{text}
	for _, s := range newly {
		if wanted(s.Message) {
			parts = append(parts, PlainText(timeline.ToLLM(s.Message)))
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}

// Size is a plain count of the tokens of a text.
func Size(text string) int64 { return tokens.Plain{}.Text(text) }

// cutHead and cutTail keep as much of one end of a text as fits into budget.
func cutHead(text string, budget int64) string {
	return cut(text, budget, safetext.CutHead)
}

func cutTail(text string, budget int64) string {
	return cut(text, budget, safetext.CutTail)
}

// cut searches the largest piece that fits; sizes grow with the units.
func cut(text string, budget int64, piece func(string, int) string) string {
	if Size(text) <= budget {
		return text
	}
	lo, hi := 0, safetext.UTF16Len(text)
	for lo+1 < hi {
		if mid := (lo + hi) / 2; Size(piece(text, mid)) <= budget {
			lo = mid
		} else {
			hi = mid
		}
	}
	return piece(text, lo)
}
