package facts

import (
	"strings"
	"unicode"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/safetext"
)

// requestOf returns what a message asks for: its first words that are neither
// a greeting nor a list of rules, or "" if it asks for nothing new. If a line
// only introduces the next one, both are returned.
func requestOf(lines []prose.Line) string {
	for i, l := range lines {
		if isRule(l) {
			continue
		}
		text := withoutGreeting(withoutHead(l.Text, lines[i+1:]))
		if text == "" || acknowledges(text) {
			continue
		}
		if strings.HasSuffix(text, ":") && i+1 < len(lines) {
			text += " " + lines[i+1].Text
		}
		return sentence(text)
	}
	if first := sentence(lines[0].Text); !acknowledges(first) {
		return first
	}
	return ""
}

// withoutHead removes the last sentence if it introduces a list, unless it is
// the only one and introduces other things than rules.
func withoutHead(text string, next []prose.Line) string {
	if len(next) == 0 || !next[0].Item || !introduces(text) {
		return text
	}
	all := prose.Split(text)
	if len(all) == 1 && !isRule(next[0]) {
		return text
	}
	return strings.TrimSuffix(text, all[len(all)-1])
}

var greeting = lazy.Regexp(`(?i)^(?:good (?:morning|afternoon|evening|day)|hi|hello|hey|howdy|hallo|moin|guten (?:tag|morgen|abend)|servus|bonjour|salut|hola|` +
	`buenos días|olá|bom dia|ciao|こんにちは|おはようございます|お疲れ様です|你好|您好|안녕하세요)(?: (?:all|again|there|team|everyone|claude|pi|zusammen))?[,.!。！ ]*$`)

// withoutGreeting drops sentences at the start that ask for nothing.
func withoutGreeting(text string) string {
	for _, s := range prose.Split(text) {
		if !greeting().MatchString(s) && !acknowledges(s) {
			break
		}
		text = strings.TrimSpace(strings.TrimPrefix(text, s))
	}
	return strings.TrimSpace(text)
}

// sentence shortens a line to its first sentences.
func sentence(line string) string {
	line = fold(line)
	if len(line) <= maxRequest {
		return line
	}
	if all := prose.Split(line); len(all[0]) <= maxRequest {
		return all[0]
	}
	head := safetext.CutHead(line, maxRequest)
	if i := strings.LastIndexByte(head, ' '); i > maxRequest/2 {
		head = head[:i]
	}
	return head
}

var acknowledgement = lazy.Regexp(`(?i)^(?:ok(?:ay)?|yes|yep|yeah|no|nope|y|n|go|go on|go ahead|continue|cont|thanks?|thank you|great|good|cool|nice|perfect|done|sure|try again|ok,? go|proceed|next|ja|nein|weiter|oui|non|sí|si|sim|はい|好|好的|继续|네)[.!?,]*$`)

// acknowledges reports whether a message asks for nothing new.
func acknowledges(line string) bool {
	return acknowledgement().MatchString(line) || strings.IndexFunc(line, unicode.IsLetter) < 0 || strings.HasPrefix(line, "/") && !strings.Contains(line, " ")
}
