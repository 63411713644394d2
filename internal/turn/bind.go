package turn

import "slices"

// binder finds the call of each result as items are read.
type binder struct {
	*Conversation

	open  map[string]chain // by id: the calls without a result
	again []again          // results for which there was no open call

	batch     int32 // the first call of the latest run of assistant messages
	batchItem int   // the latest item of that run; -1: it has ended
	went      int32 // results of calls before this one are late
}

// chain lists the open calls of one id in the order in which results take
// them: those of the latest run first to last, then older ones last to first.
type chain struct {
	first int32 // index in calls
	last  int32 // the last one of the latest run
}

type again struct{ item, went int32 }

// next reads the next item.
func (b *binder) next(i int, it Item) {
	f := b.flags[i]
	switch {
	case it.Past:
		b.batchItem, b.answered, b.went = -1, i, int32(len(b.calls))
	case f&isAssistant != 0:
		if b.batchItem < 0 || b.has(b.batchItem, failed) || f&failed != 0 {
			b.batch = int32(len(b.calls))
		}
		b.batchItem = i
		b.link[i] = int32(len(b.calls))
		for _, h := range it.Calls {
			b.add(i, h.ID)
		}
		if f&hidden == 0 {
			b.answered, b.went = i, b.batch
		}
	case f&isResult != 0:
		b.batchItem = -1
		b.bind(i, it.Result)
	case f&hidden == 0:
		b.batchItem = -1
		if b.answered >= 0 && b.has(b.answered, isAssistant) {
			b.went = b.link[b.answered]
		}
	}
}

// add puts an open call in line.
func (b *binder) add(item int, id string) {
	if b.open == nil {
		b.open = map[string]chain{}
	}
	at := int32(len(b.calls))
	b.calls = append(b.calls, call{item: int32(item), result: -1, next: -1})
	line, ok := b.open[id]
	if ok && !b.has(item, failed) {
		// A later attempt has made the call again: no result belongs to the
		// failed one.
		for line.first >= 0 && b.has(int(b.calls[line.first].item), failed) {
			line.first = b.calls[line.first].next
		}
		ok = line.first >= 0
	}
	switch {
	case !ok:
		line = chain{at, at}
	case line.first >= b.batch:
		b.calls[at].next = b.calls[line.last].next
		b.calls[line.last].next = at
		line.last = at
	default:
		b.calls[at].next = line.first
		line = chain{at, at}
	}
	b.open[id] = line
}

// bind assigns a result to the first call in line.
func (b *binder) bind(i int, id string) {
	line, ok := b.open[id]
	if !ok {
		b.link[i] = -1
		b.again = append(b.again, again{int32(i), b.went})
		return
	}
	b.link[i] = line.first
	if line.first < b.went {
		b.flags[i] |= late
	}
	taken := &b.calls[line.first]
	taken.result = int32(i)
	if line.first = taken.next; line.first < 0 {
		delete(b.open, id)
	} else {
		b.open[id] = line
	}
}

// bindAgain assigns the results that found no open call to the latest call of
// their id, as a second result. Those with a call only after them are early.
func (b *binder) bindAgain(at func(i int) Item) {
	if len(b.again) == 0 {
		return
	}
	latest := map[string]int32{} // by id of the remaining results; -1: no call yet
	ids := make([]string, len(b.again))
	for n, a := range b.again {
		ids[n] = at(int(a.item)).Result
		latest[ids[n]] = -1
	}
	from := 0
	readTo := func(end int) {
		for ; from < end; from++ {
			if !b.has(from, withCalls) {
				continue
			}
			for k, h := range at(from).Calls {
				if _, wanted := latest[h.ID]; wanted {
					latest[h.ID] = b.link[from] + int32(k)
				}
			}
		}
	}
	for n, a := range b.again {
		readTo(int(a.item))
		found := latest[ids[n]]
		if found < 0 {
			continue
		}
		b.link[a.item] = found
		b.flags[a.item] |= second
		if found < a.went {
			b.flags[a.item] |= late
		}
	}
	readTo(len(b.flags))
	for n, a := range b.again {
		if b.link[a.item] < 0 && latest[ids[n]] >= 0 {
			b.flags[a.item] |= early
		}
	}
}

// Results returns the first result of each call of an assistant message, in
// the order in which they came.
func (c *Conversation) Results(item int) []int {
	var out []int
	for _, k := range c.callsOf(item) {
		if k.result >= 0 {
			out = append(out, int(k.result))
		}
	}
	slices.Sort(out)
	return out
}
