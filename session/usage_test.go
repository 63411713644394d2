package session_test

import (
	"testing"

	"github.com/coppice-dev/coppice/session"
)

func TestUsageOfEntries(t *testing.T) {
	const usage = `"usage":{"input":10,"output":5}`
	for _, tt := range []struct {
		raw   string
		total int64 // -1: none
		by    session.ModelChange
	}{
		{`{"type":"message","id":"a","message":{"role":"assistant","provider":"p","model":"m","content":[],` + usage + `}}`, 15, session.ModelChange{Provider: "p", ModelID: "m"}},
		{`{"type":"usage","id":"a","kind":"cache_warm","provider":"p","model":"m",` + usage + `}`, 15, session.ModelChange{Provider: "p", ModelID: "m"}},
		{`{"type":"compaction","id":"a","summary":"s",` + usage + `}`, 15, session.ModelChange{}},
		{`{"type":"branch_summary","id":"a","summary":"s",` + usage + `}`, 15, session.ModelChange{}},
		{`{"type":"compaction","id":"a","summary":"s"}`, -1, session.ModelChange{}},
		{`{"type":"custom","id":"a",` + usage + `}`, -1, session.ModelChange{}},
	} {
		e, ok := session.ParseEntry([]byte(tt.raw))
		if !ok {
			t.Fatal(tt.raw)
		}
		u, by, err := e.Usage()
		if err != nil || (u == nil) != (tt.total < 0) || u != nil && u.Total() != tt.total || by != tt.by {
			t.Errorf("%s: %v by %v", tt.raw, u, by)
		}
	}
}
