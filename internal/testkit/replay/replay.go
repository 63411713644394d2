// Package replay replays a session: its entries become drafts, part by part, so
// that another session can grow the same way. Tests and measurements use it.
package replay

import (
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

// Draft is an entry to be appended elsewhere: the same id and members, but
// without the provider's counts, which belong to another request.
func Draft(e *session.Entry) session.Draft {
	body := must.Get(e.Raw())
	for _, name := range []string{"type", "id", "parentId", "timestamp"} {
		body = rawjson.Delete(body, name)
	}
	if m := rawjson.Get(body, "message"); rawjson.Get(m, "usage") != nil {
		body = rawjson.Set(body, "message", rawjson.Delete(m, "usage"))
	}
	return session.Draft{Type: e.Type, ID: e.ID, Body: body}
}

// Drafts are the entries of a path without its compactions: the replay makes its
// own.
func Drafts(path []*session.Entry) []session.Draft {
	var out []session.Draft
	for _, e := range path {
		if e.Type != session.TypeCompaction {
			out = append(out, Draft(e))
		}
	}
	return out
}

// Parts divides a path into n parts of about the same size in tokens, fewer
// where there are not enough messages. No part ends between a tool call and its
// results.
func Parts(path []*session.Entry, n int) [][]*session.Entry {
	left, size := Size(path), int64(0)
	var out [][]*session.Entry
	from := 0
	for i := range path {
		size += Size(path[i : i+1])
		if !inside(path, i+1) && len(out) < n-1 && size > 0 && size >= left/int64(n-len(out)) {
			out = append(out, path[from:i+1])
			from, left, size = i+1, left-size, 0
		}
	}
	if from < len(path) {
		out = append(out, path[from:])
	}
	return out
}

// inside reports whether a cut before path[i] would separate a call from a
// result.
func inside(path []*session.Entry, i int) bool {
	for ; i < len(path); i++ {
		if m := must.Get(path[i].Message()); m != nil {
			return m.Role == message.RoleToolResult
		}
	}
	return false
}

// Size is the plain size of the entries' text in tokens, without summaries of
// compactions.
func Size(path []*session.Entry) int64 {
	var n int64
	for _, e := range path {
		if m := must.Get(e.Message()); m != nil && e.Type != session.TypeCompaction {
			n += tokens.Plain{}.Message(m)
		}
	}
	return n
}
