package cli

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// kind is a kind of content in the window.
type kind struct {
	name   string
	glyph  string
	color  string
	tokens int64
}

// Kinds of content, in the order in which the bar shows them.
const (
	kindFixed = iota
	kindSummary
	kindPinned
	kindUser
	kindAssistant
	kindCalls
	kindResults
	kindImages
)

func newKinds() []kind {
	return []kind{
		kindFixed:     {name: "prompt and tools", glyph: "▓", color: "245"},
		kindSummary:   {name: "summaries", glyph: "█", color: "141"},
		kindPinned:    {name: "pins and open request", glyph: "█", color: "204"},
		kindUser:      {name: "user", glyph: "█", color: "39"},
		kindAssistant: {name: "assistant", glyph: "▒", color: "78"},
		kindCalls:     {name: "tool calls", glyph: "░", color: "178"},
		kindResults:   {name: "tool results", glyph: "▚", color: "208"},
		kindImages:    {name: "images", glyph: "▞", color: "205"},
	}
}

// kindsOf adds up by kind what a view shows.
func kindsOf(v *timeline.View) ([]kind, error) {
	sizer, err := v.Sizer(tokens.Default{})
	if err != nil {
		return nil, err
	}
	kinds := newKinds()
	if kinds[kindFixed].tokens, err = v.Fixed(sizer); err != nil {
		return nil, err
	}
	for _, it := range v.Items {
		meta := it.Meta()
		n, images := sizer.Of(it), sizer.Media(it)
		switch {
		case meta.Role == message.RoleCompactionSummary || meta.Role == message.RoleBranchSummary:
			kinds[kindSummary].tokens += n
		case it.Pinned || it.Request:
			kinds[kindPinned].tokens += n
		case meta.Role == message.RoleToolResult:
			kinds[kindResults].tokens += n - images
			kinds[kindImages].tokens += images
		case meta.Role == message.RoleAssistant:
			calls, err := callTokens(sizer, it, meta)
			if err != nil {
				return nil, err
			}
			kinds[kindCalls].tokens += calls
			kinds[kindAssistant].tokens += n - calls
		default:
			kinds[kindUser].tokens += n - images
			kinds[kindImages].tokens += images
		}
	}
	return kinds, sizer.Err()
}

// callTokens is what the calls of an assistant's message cost.
func callTokens(sizer *timeline.Sizer, it timeline.Item, meta session.Meta) (int64, error) {
	if len(meta.Calls) == 0 {
		return 0, nil
	}
	m, err := it.Message()
	if err != nil {
		return 0, err
	}
	var blocks []message.Block
	for _, c := range m.ToolCalls() {
		blocks = append(blocks, c)
	}
	return sizer.Message(&message.Message{Role: m.Role, Content: blocks}), nil
}

// bar draws a window of the given size: the share of each kind, then what is
// free up to the threshold, then the reserve.
func (a *app) bar(kinds []kind, windowSize, threshold int64, width int) string {
	var total int64
	for _, k := range kinds {
		total += k.tokens
	}
	scale := max(windowSize, total, 1)
	var b strings.Builder
	used, drawn := int64(0), 0
	cells := func(upTo int64) int {
		n := int(upTo*int64(width)/scale) - drawn
		return max(n, 0)
	}
	for _, k := range kinds {
		used += k.tokens
		n := cells(used)
		drawn += n
		b.WriteString(a.paint(k.color, strings.Repeat(k.glyph, n)))
	}
	if used < threshold {
		n := cells(threshold)
		drawn += n
		b.WriteString(a.paint("240", strings.Repeat("·", n)))
	}
	if drawn < width {
		b.WriteString(a.paint("240", strings.Repeat("╌", width-drawn)))
	}
	return "│" + b.String() + "│"
}

// legend names the kinds that occur, with their sizes.
func (a *app) legend(kinds []kind) string {
	var parts []string
	for _, k := range kinds {
		if k.tokens > 0 {
			parts = append(parts, fmt.Sprintf("%s %s %s", a.paint(k.color, k.glyph), k.name, thousands(k.tokens)))
		}
	}
	return strings.Join(parts, "  ")
}

// paint colours text if the terminal wants colours.
func (a *app) paint(color, s string) string {
	if !a.Terminal {
		return s
	}
	return a.term.Style(color, s)
}

// barWidth is the greatest width of a bar.
func (a *app) barWidth() int {
	const most, least = 72, 24
	if a.Width == 0 {
		return most
	}
	return min(most, max(least, a.Width-4))
}

// short cuts a text to one line of at most n columns.
func short(s string, n int) string {
	// Of a long text only the start is looked at, as long as it has enough.
	for most := 256 + 4*n; ; most *= 16 {
		head := s[:min(most, len(s))]
		line := strings.Join(strings.Fields(visible(head)), " ")
		if len(head) == len(s) || ansi.StringWidth(line) > n+len("…") {
			return ansi.Truncate(line, n, "…")
		}
	}
}
