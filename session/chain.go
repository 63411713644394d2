package session

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
)

// chain links entries one after another.
type chain struct {
	log     Log
	last    string            // id of the last entry
	ids     map[string]bool   // of all entries in it
	waiting []string          // ids of labels that the next entry replaces
	next    map[string]string // the entry that replaces a removed label
	now     map[string]string // the new id of the newest entry that had an id of an earlier one
}

// add returns the next entry of the path as it is in the chain, or nil for a
// label. A compaction whose first kept entry was a label keeps from the entry
// after that label on: the model sees the same.
func (c *chain) add(e *Entry) (*Entry, error) {
	if e.Type == TypeLabel {
		c.waiting = append(c.waiting, e.ID)
		return nil, nil
	}
	out, err := modern(c.log, e)
	if err == nil {
		out, err = c.distinct(out)
	}
	if err == nil {
		out, err = rechained(out, c.last)
	}
	if err != nil {
		return nil, err
	}
	for _, id := range c.waiting {
		c.next[id] = out.ID
	}
	c.waiting = c.waiting[:0]
	delete(c.next, e.ID) // a reference means the nearest entry with that id
	if comp := e.Compaction(); comp != nil {
		if id, ok := c.next[comp.FirstKeptEntryID]; ok {
			out = changed(out, "firstKeptEntryId", id)
		}
	}
	return c.push(out)
}

// addLabel returns a label as it is after the path, or nil if its target is
// missing.
func (c *chain) addLabel(e *Entry) (*Entry, error) {
	if !c.ids[e.Label().TargetID] {
		return nil, nil
	}
	e, err := c.distinct(e)
	if err == nil {
		e, err = rechained(e, c.last)
	}
	if err != nil {
		return nil, err
	}
	return c.push(e)
}

// distinct returns e with a new id if an earlier entry has its id, as only in a
// damaged log, and with references to entries that got new ones.
func (c *chain) distinct(e *Entry) (*Entry, error) {
	if len(c.now) == 0 && !c.ids[e.ID] {
		return e, nil
	}
	raw, err := e.Raw()
	if err != nil {
		return nil, err
	}
	out := unplaced(e, e.ParentID, c.refer(raw))
	if c.ids[e.ID] {
		out.ID = NewID() // rechained writes it
		c.now[e.ID] = out.ID
	}
	return out, nil
}

// refer makes the references of an entry name the nearest earlier entry with
// that id (docs/format.md). In our own entries, every string that was an id still is one.
func (c *chain) refer(raw []byte) []byte {
	for _, name := range []string{"targetId", "firstKeptEntryId", "fromId"} {
		raw = c.renamed(raw, name)
	}
	if strings.HasPrefix(rawjson.String(rawjson.Get(raw, "customType")), "coppice.") {
		raw = c.renamed(raw, "data")
	}
	if details := rawjson.Get(raw, "details"); rawjson.Kind(details) == '{' {
		raw = rawjson.Set(raw, "details", c.renamed(details, "coppice"))
	}
	return raw
}

// renamed returns an object in whose member ids that changed are the new ones.
func (c *chain) renamed(obj []byte, name string) []byte {
	v := rawjson.Get(obj, name)
	if v == nil || rawjson.Deeper(v, 16) { // deeper is nothing of ours
		return obj
	}
	return rawjson.Set(obj, name, c.newIDs(v))
}

func (c *chain) newIDs(v []byte) []byte {
	switch rawjson.Kind(v) {
	case '{':
		out := v
		for name, m := range rawjson.Members(v) {
			out = rawjson.Set(out, name, c.newIDs(m))
		}
		return out
	case '[':
		var out jsonw.Array
		for e := range rawjson.Elements(v) {
			out.Add(c.newIDs(e))
		}
		return out.Bytes()
	case '"':
		if id, ok := c.now[rawjson.String(v)]; ok {
			return rawjson.Quote(id)
		}
	}
	return v
}

// push records e as the last entry and returns it without a place: it gets one
// in the log that it goes to.
func (c *chain) push(e *Entry) (*Entry, error) {
	c.last = e.ID
	c.ids[e.ID] = true
	if e.At < 0 {
		return e, nil
	}
	raw, err := e.Raw()
	return unplaced(e, e.ParentID, raw), err
}
