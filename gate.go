package coppice

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire"
)

// RequestError says that the provider would refuse the form of a request that
// we built: it was not sent.
type RequestError struct {
	Problem wire.Problem // the first problem; its Kind is the rule
	EntryID string       // the entry that is shown there; "": none of the log's
	All     []wire.Problem
}

func (e *RequestError) Error() string {
	at := e.Problem.Where
	if e.EntryID != "" {
		at += " (entry " + e.EntryID + ")"
	}
	return fmt.Sprintf("the request was not sent because it would be refused: %s at %s: %s", e.Problem.Kind, at, e.Problem.Detail)
}

// gate checks the body. Structural errors stop it, and so does what the model's
// host is known to refuse; the rest is a warning, since hosts differ in what they
// cap.
func (p *Prepared) gate() error {
	if p.Dialect == nil {
		return nil
	}
	var stops []wire.Problem
	for _, w := range p.Dialect.Validate(p.Body, p.Meter.Model, false) {
		if w.Structural() || w.Refused {
			stops = append(stops, w)
		} else {
			p.Report.Warnings = append(p.Report.Warnings, w)
		}
	}
	if len(stops) == 0 {
		return nil
	}
	return &RequestError{Problem: stops[0], EntryID: p.entryAt(stops[0].Where), All: stops}
}

// entryAt returns the id of the entry shown at a place in the body. Dialects
// merge and split messages, so the message is found by how long the body is
// without the messages after it.
func (p *Prepared) entryAt(where string) string {
	list, rest, _ := strings.Cut(where, ".")
	number, _, _ := strings.Cut(rest, ".")
	at, err := strconv.Atoi(number)
	if err != nil || p.changed || !slices.Contains(lists, list) {
		return ""
	}
	low, high := 0, len(p.Request.Messages)-1 // the message is between them
	for low < high {
		mid := (low + high) / 2
		if p.places(list, mid+1) > at {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return p.entryOf(low)
}

// places returns how many elements a list in the body has with only the first n
// messages.
func (p *Prepared) places(list string, n int) int {
	req := p.Request
	req.Messages, req.CachePoints = req.Messages[:n], nil
	body, err := p.Dialect.Render(req, p.Meter.Model, p.Options)
	if err != nil {
		return 0
	}
	return elements(body, list)
}

func elements(body []byte, list string) (n int) {
	for range rawjson.Elements(rawjson.Get(body, list)) {
		n++
	}
	return n
}

// messages returns how many messages the body has, as its dialect counts them.
func (p *Prepared) messages() int64 {
	n := 0
	for _, list := range lists {
		n = max(n, elements(p.Body, list))
	}
	return int64(n)
}

// within reports whether the request has no more items than a limit allows: making it
// smaller would not help.
func (p *Prepared) within(l message.Limit) bool {
	used := int64(0)
	switch {
	case l.Where == "tools":
		used = int64(len(p.Request.Tools))
	case l.Where == "image":
		for _, m := range p.Request.Messages {
			used += int64(m.Images())
		}
	case slices.Contains(lists, l.Where):
		used = p.messages()
	}
	return used > 0 && used <= l.Max
}

// lists are the names of the list of messages in a body.
var lists = []string{"messages", "input", "contents"}

// entryOf returns the id of the entry of the n-th message of the request.
func (p *Prepared) entryOf(n int) string {
	if entries := p.entries(); n < len(entries) {
		return entries[n]
	}
	return ""
}

// entries are the ids of the entries of the messages of the request, "" for one
// that is not in the log; nil if the messages are not those of the view.
func (p *Prepared) entries() []string {
	if p.changed {
		return nil
	}
	var ids []string
	for _, it := range p.View.Items {
		m, err := it.Message()
		if llm := timeline.ToLLM(m); err != nil || llm == nil {
			continue
		}
		id := ""
		if it.Entry != nil {
			id = it.Entry.ID
		}
		ids = append(ids, id)
	}
	return ids
}
