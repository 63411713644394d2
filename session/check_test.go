package session_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/session"
)

// A group is refused if its references would not read back as it means them.
func TestCheckAppendOrder(t *testing.T) {
	for _, tt := range []struct {
		name, group string // child<parent
		duplicate   bool
		says        string // "": it is taken
	}{
		{"nothing", "", false, ""},
		{"a chain", "a< b<a c<b", false, ""},
		{"siblings and parents from elsewhere", "b<x c<x d<b e<x", false, ""},
		{"an id twice", "a< b<a a<b", true, `"a": another entry has this id`},
		{"the same line twice", "a< a<", true, `"a": another entry has this id`},
		{"a parent that comes next", "b<a a<", false, `"b": its parent "a" does not come before it`},
		{"a parent that comes later", "b<x c<e d<c e<b", false, `"c": its parent "e" does not come before it`},
		{"its own parent", "a<a", false, `"a": its parent "a" does not come before it`},
		{"its own parent in a group", "a< b<b", false, `"b": its parent "b" does not come before it`},
	} {
		var group []*session.Entry
		for _, pair := range strings.Fields(tt.group) {
			id, parent, _ := strings.Cut(pair, "<")
			e, _ := session.ParseEntry([]byte(`{"type":"custom","id":"` + id + `","parentId":"` + parent + `","timestamp":1}`))
			group = append(group, e)
		}
		err := session.CheckAppend(group)
		if errors.Is(err, session.ErrDuplicate) != tt.duplicate || (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
}
