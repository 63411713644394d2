package prune

import (
	"math"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// extent is the range of lines that a read asked for.
type extent struct {
	path        string
	first, last int64 // from 1; last math.MaxInt64: to the end
}

// readExtent understands the read calls of pi and ours (path, offset, limit),
// of Claude Code (file_path) and of opencode (filePath).
func readExtent(name string, args []byte) (extent, bool) {
	if !strings.EqualFold(name, "read") {
		return extent{}, false
	}
	e := extent{first: 1, last: math.MaxInt64}
	limit := int64(0)
	for k, v := range rawjson.Members(args) {
		switch k {
		case "path", "file_path", "filePath":
			e.path = rawjson.String(v)
		case "offset":
			e.first = max(1, rawjson.Int(v))
		case "limit":
			limit = rawjson.Int(v)
		}
	}
	if limit > 0 {
		e.last = e.first + limit - 1
	}
	return e, e.path != ""
}

func (e extent) covers(o extent) bool {
	return e.path == o.path && e.first <= o.first && e.last >= o.last
}

// superseded prunes reads that a later read of the same file repeats, if that
// has the same or a wider range, is complete and did not fail.
func (p *planner) superseded() {
	later := map[string][]extent{}
	for i := len(p.results) - 1; i >= 0; i-- {
		r := p.results[i]
		e, ok := readExtent(r.call.Name, r.call.Arguments)
		if !ok {
			continue
		}
		for _, l := range later[e.path] {
			if l.covers(e) && !r.open && r.failure == "" {
				p.take(r, superseded, "[read again later: "+e.path+"; "+readBack(r)+"]")
				break
			}
		}
		if !r.head.IsError && !r.item.Edited && r.complete {
			later[e.path] = append(later[e.path], e)
		}
	}
}

// complete reports whether a result has everything that was requested. Tools
// say so in their details, or in a line at the end.
func complete(m *message.Message, details []byte) bool {
	if rawjson.Kind(rawjson.Get(details, "truncation")) == '{' || rawjson.Bool(rawjson.Get(details, "truncated")) {
		return false
	}
	text := m.Text("\n")
	tail := strings.ToLower(text[max(0, len(text)-200):])
	for _, sign := range []string{"truncated", "more lines in file", "left out", "use offset="} {
		if strings.Contains(tail, sign) {
			return false
		}
	}
	return true
}
