package provider

import (
	"regexp"
	"strings"
	"sync"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/message"
)

// capRule reads a limit of one part of a request: a field, the number of
// images, the size of one.
type capRule struct {
	class message.Class
	unit  message.Unit
	where string // "": the pattern says
	re    *regexp.Regexp
}

// capRules are those of the blocks [cap …] of the data file.
var capRules = sync.OnceValue(func() []capRule {
	var out []capRule
	for _, b := range phraseBlocks() {
		words := strings.Fields(b.name)
		if words[0] != "cap" {
			continue
		}
		rule := capRule{class: message.Class(words[1]), unit: message.Unit(words[2])}
		if len(words) > 3 {
			rule.where = words[3]
		}
		for _, p := range b.phrases {
			rule.re = regexp.MustCompile(p.pattern)
			out = append(out, rule)
		}
	}
	return out
})

// readCap finds the limit that a text names for a part of a request.
func readCap(text string) (message.Limit, message.Class, bool) {
	for _, r := range capRules() {
		m := r.re.FindStringSubmatch(text)
		if m == nil || r.unit == kinds.UnitUnknown && !ofOnePart(text) {
			continue
		}
		group := func(name string) string {
			if i := r.re.SubexpIndex(name); i >= 0 {
				return m[i]
			}
			return ""
		}
		l := message.Limit{Unit: r.unit, Where: r.where, Max: number(group("max")), Used: add(number(group("used")), number(group("plus")))}
		if l.Where == "" {
			l.Where = group("where")
		}
		if l.Max == 0 && l.Unit == kinds.UnitUnknown {
			f, _ := readFigures(text, 0)
			l.Max, l.Used = f.limit, max(f.used(), f.output)
		}
		return l, r.class, true
	}
	return shapedCap(text)
}

// ofOnePart reports whether a size in tokens or in time may be that of one part.
func ofOnePart(text string) bool {
	return (inTokens().MatchString(text) || inTime().MatchString(text)) && !byteUnits().MatchString(text) && !notOnePart().MatchString(text)
}

var inTime = lazy.Regexp(`\d ?(?:seconds?|minutes?|hours?)\b`)

// notOnePart are words of refusals that are about the whole request or about a
// rate, although they may name one part of it, too.
var notOnePart = lazy.Regexp(`context[ _-]?(?:length|window|size|limit)|\b(?:per|an?) (?:minute|hour|day)\b|rate[ _-]limit|(?:^|\b(?:your|the|this) |[:.;,"'] ?)(?:prompt|input|request|conversation) (?:is too|has \d|contains \d|exceed)`)

// Patterns for limits of a part in wordings that the data file does not have.
var (
	itemNoun  = lazy.Regexp(`\b(?:too (?:many|much)|number of|count of|maximum(?: of)?|at most|up to|more than|limit of|supports?|\d)\W{0,2}(?:\d+ )?(?:\w+ ){0,2}?(image|picture|photo|document|file|attachment|page|message|tool|function)\(?s?\)?\b`)
	counted   = lazy.Regexp(`(\d) (?:image|picture|photo|document|file|attachment|page|message|tool|function)\(?s?\)?\b`)
	edges     = lazy.Regexp(`(\d) ?(?:pixels?|px)\b`)
	picture   = lazy.Regexp(`\b(?:image|picture|photo|dimension|width|height)`)
	inLetters = lazy.Regexp(`(\d) ?(?:characters?|chars?)\b`)
	letters   = lazy.Regexp(`\d ?(?:characters?|chars?)\b|\bstring (?:length|too long)|\bmaximum length\b`)
	fieldPath = lazy.Regexp(`'([a-z_][a-z0-9_.\[\]]*)'|\b([a-z_]+(?:\[\d+\]|\.\d+)[a-z0-9_.\[\]]*[a-z0-9_\]])`)
	mediaNoun = lazy.Regexp(`\b(image|document|pdf|file|attachment|audio|video)s?\b`)
	inTokens  = lazy.Regexp(`\btokens?\b`)
)

// listName returns what a cap on the number of such things is named.
func listName(noun string) string {
	switch noun {
	case "picture", "photo":
		return "image"
	case "message":
		return "messages"
	case "tool", "function":
		return "tools"
	}
	return noun
}

// shapedCap decides by what is counted: pixels, characters of a field, or items.
func shapedCap(text string) (message.Limit, message.Class, bool) {
	if inTokens().MatchString(text) || !tooMuch().MatchString(text) && !limitIn.Get().MatchString(text) {
		return message.Limit{}, "", false
	}
	l := message.Limit{}
	switch {
	case edges().MatchString(text) && picture().MatchString(text):
		l.Unit, l.Where, text = kinds.UnitPixels, "image", edges().ReplaceAllString(text, "$1")
	case byteUnits().MatchString(text):
		return l, "", false
	case letters().MatchString(text) && fieldPath().MatchString(text):
		l.Unit, l.Where = kinds.UnitCharacters, strings.Join(fieldPath().FindStringSubmatch(text)[1:], "")
		text = inLetters().ReplaceAllString(fieldPath().ReplaceAllString(text, " "), "$1")
	case itemNoun().MatchString(text):
		noun := itemNoun().FindStringSubmatch(text)[1]
		l.Unit, l.Where, text = kinds.UnitItems, listName(noun), counted().ReplaceAllString(text, "$1")
	default:
		return l, "", false
	}
	f, _ := readFigures(text, 0)
	l.Max, l.Used = f.limit, f.used()
	return l, message.ClassBadRequest, true
}
