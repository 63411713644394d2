package main

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/ledger"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// headAndTail keeps the beginning and the end of what it had plus what is new.
type headAndTail struct{ text string }

func (h *headAndTail) take(newly []ledger.Source, budget int64) {
	h.text = join(h.text, newly, func(*message.Message) bool { return true })
	if size(h.text) <= budget {
		return
	}
	h.text = cutHead(h.text, budget/2) + "\n" + cutTail(h.text, budget-budget/2)
}

// userMessages keeps the newest of what the user said.
type userMessages struct{ text string }

func (u *userMessages) take(newly []ledger.Source, budget int64) {
	u.text = join(u.text, newly, func(m *message.Message) bool { return m.Role == message.RoleUser })
	u.text = cutTail(u.text, budget)
}

func join(text string, newly []ledger.Source, wanted func(*message.Message) bool) string {
	parts := []string{text}
	for _, s := range newly {
		if wanted(s.Message) {
			parts = append(parts, plainText(timeline.ToLLM(s.Message)))
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}

// cutHead and cutTail keep as much of one end of a text as fits into budget.
func cutHead(text string, budget int64) string {
	return cut(text, budget, safetext.CutHead)
}

func cutTail(text string, budget int64) string {
	return cut(text, budget, safetext.CutTail)
}

// cut searches the largest piece that fits; sizes grow with the units.
func cut(text string, budget int64, piece func(string, int) string) string {
	if size(text) <= budget {
		return text
	}
	lo, hi := 0, safetext.UTF16Len(text)
	for lo+1 < hi {
		if mid := (lo + hi) / 2; size(piece(text, mid)) <= budget {
			lo = mid
		} else {
			hi = mid
		}
	}
	return piece(text, lo)
}
