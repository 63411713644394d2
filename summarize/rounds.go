package summarize

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// round is what a fold does not divide if it fits: a message, or an assistant
// message with the results of its calls and whatever was recorded between them.
type round struct {
	sources []ledger.Source
	text    string // set for a piece of something too large: what is left of it
}

// roundsOf divides a range into rounds. Results that answer no call of the
// round go with what comes before them.
func roundsOf(sources []ledger.Source) []round {
	msgs := make([]*message.Message, len(sources))
	for i, s := range sources {
		msgs[i] = s.Message
	}
	turns := turn.Messages(msgs)
	var out []round
	for i := 0; i < len(sources); {
		end := i + 1
		for end < len(sources) && !turns.Begins(end) {
			end++
		}
		out = append(out, round{sources: sources[i:end]})
		i = end
	}
	return out
}

func roleOf(m *message.Message) message.Role {
	if m == nil {
		return ""
	}
	return m.Role
}

// shows reports whether a transcript of the round has anything in it.
func (s serializer) shows(r round) bool {
	return r.text != "" || slices.ContainsFunc(r.sources, func(src ledger.Source) bool {
		// Calls are always shown, and most rounds begin with one.
		m := timeline.ToLLM(src.Message)
		return roleOf(m) == message.RoleAssistant && len(m.ToolCalls()) > 0 || s.message(src.Message) != ""
	})
}

// pieceOf makes a round of a text that is not a message, such as a previous
// summary that is too large to go with the transcript.
func pieceOf(label, text string) round {
	return round{text: "[" + label + "]: " + text}
}

// splitText takes as much from the head of text as fits into room tokens, at a
// line end where one is near, else between characters. It takes at least one
// character, so that it always makes progress.
func splitText(text string, room int64, estimate func(string) int64) (head, rest string) {
	units := int(max(room*4, 8)) // no text has fewer than a quarter token per unit
	for {
		head = safetext.CutHead(text, units)
		if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 && head != text {
			head = head[:i+1]
		}
		if head == "" { // a character that is longer than units
			units *= 2
			continue
		}
		// A cut can separate an escape character from what it escapes.
		if safe := quote.Escape(head); estimate(safe) <= room || units <= 8 {
			return safe, text[len(head):]
		}
		units = units * 3 / 4
	}
}
