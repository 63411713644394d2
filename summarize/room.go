package summarize

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/safetext"
)

// usualSize is what an extraction takes when nothing forces it to be larger:
// beyond it only facts that the work depends on are added.
const (
	usualSize  = 4000
	leastUsual = 500 // a short range may take this much too
)

// choose takes items within the limit: first each group's share, then what the
// work depends on, then what is good to have up to the usual size. Lists of
// files, which have no natural end, stay within their share if the reader has
// other lists of them.
func (e *extraction) choose() {
	left := e.limit - e.in.Estimate(e.write())
	usual := e.usual - (e.limit - left)
	ranked := slices.Clone(e.buckets)
	slices.SortStableFunc(ranked, func(a, b *bucket) int { return cmp.Compare(a.rank, b.rank) })
	whole, spare := left, min(left, max(usual, 0))
	for _, b := range ranked {
		room := whole * int64(b.share) / 100
		if b.spare {
			room = spare * int64(b.share) / 100
		}
		left -= e.takeFrom(b, min(room, left))
	}
	for _, b := range ranked {
		if !b.spare && !b.list {
			left -= e.takeFrom(b, left)
		}
	}
	for _, b := range ranked {
		if b.spare || b.list && e.in.Visible == "" {
			left -= e.takeFrom(b, min(left, usual-(whole-left)))
		}
	}
}

// takeFrom takes what fits into room, newest first, and returns its size in
// tokens.
func (e *extraction) takeFrom(b *bucket, room int64) int64 {
	var used int64
	take := func(i int) bool {
		cost := e.cost(b, b.items[i])
		if b.taken[i] || used+cost > room {
			return b.taken[i]
		}
		b.taken[i] = true
		used += cost
		b.used += cost
		return true
	}
	if b.first && len(b.items) > 1 && !take(len(b.items)-1) {
		return used
	}
	if b.first && len(b.items) > 0 {
		take(0)
	}
	for i := len(b.items) - 1; i >= 0; i-- {
		if !take(i) {
			break
		}
	}
	return used
}

// cost returns the most that an item adds, in tokens.
func (e *extraction) cost(b *bucket, item string) int64 {
	line := "- [x] " + b.label + ": " + item + "\n"
	if b.style == inline && b.used > 0 {
		line = ", " + item
	}
	return e.in.Estimate(line)
}

// text returns the finished part.
func (e *extraction) text() string {
	e.choose()
	text := e.write()
	for e.in.Estimate(text) > e.limit && e.dropOne() {
		text = e.write()
	}
	if e.in.Estimate(text) <= e.limit {
		return text
	}
	return e.smallest()
}

// dropOne takes back the oldest item of the least important group.
func (e *extraction) dropOne() bool {
	var last *bucket
	for _, b := range e.buckets {
		if slices.Contains(b.taken, true) && (last == nil || b.rank >= last.rank) {
			last = b
		}
	}
	if last == nil {
		return false
	}
	last.taken[slices.Index(last.taken, true)] = false
	return true
}

// smallest is for limits too small even for the headings: it returns as much as
// fits of what matters most.
func (e *extraction) smallest() string {
	ranked := slices.Clone(e.buckets)
	slices.SortStableFunc(ranked, func(a, b *bucket) int { return cmp.Compare(a.rank, b.rank) })
	var lines []string
	for _, b := range ranked {
		for _, item := range slices.Backward(b.items) {
			lines = append(lines, "- "+item)
		}
		if len(lines) > 8 {
			break
		}
	}
	text := strings.Join(append(lines, nothing), "\n")
	for units := int(4*e.limit) + 1; units > 1; units /= 2 {
		if head := safetext.CutHead(text, units); head != "" && e.in.Estimate(head) <= e.limit {
			return head
		}
	}
	return "-"
}
