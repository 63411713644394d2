package timeline

import (
	"testing"

	"github.com/coppice-dev/coppice/session"
)

// Only a level that the path sets is asked for; that it is shown as off when none
// is set, and recorded as off by a compaction, does not set one.
func TestLevelThatThePathSets(t *testing.T) {
	level := func(id, parent, l string) string {
		return entry("thinking_level_change", id, parent, `"thinkingLevel":"`+l+`"`)
	}
	compaction := func(parent, recorded string) string {
		return entry("compaction", "c", parent, `"summary":"s","firstKeptEntryId":"u2","tokensBefore":1`+recorded)
	}
	said := []string{user("u1", "", "a"), answer("a1", "u1", "b"), user("u2", "a1", "c")}
	for name, tt := range map[string]struct {
		lines       []string
		asked, seen string
	}{
		"none":                       {said, "", "off"},
		"high":                       {append(said[:3:3], level("l", "u2", "high")), "high", "high"},
		"off":                        {append(said[:3:3], level("l", "u2", "off")), "off", "off"},
		"off, after high":            {append(said[:3:3], level("l", "u2", "high"), level("m", "l", "off")), "off", "off"},
		"none, recorded as off":      {append(said[:3:3], compaction("u2", `,"details":{"coppice":{"v":1,"thinkingLevel":"off"}}`)), "", "off"},
		"off, recorded":              {append(said[:3:3], compaction("u2", `,"details":{"coppice":{"v":1,"thinkingLevel":"off","thinkingOff":true}}`)), "off", "off"},
		"high, recorded":             {append(said[:3:3], compaction("u2", `,"details":{"coppice":{"v":1,"thinkingLevel":"high"}}`)), "high", "high"},
		"before another program's":   {[]string{user("u1", "", "a"), level("l", "u1", "off"), answer("a1", "l", "b"), user("u2", "a1", "c"), compaction("u2", "")}, "off", "off"},
		"none before another's":      {append(said[:3:3], compaction("u2", "")), "", "off"},
		"of ours before another's":   {[]string{user("u1", "", "a"), answer("a1", "u1", "b"), user("u2", "a1", "c"), entry("compaction", "b", "u2", `"summary":"s","firstKeptEntryId":"u2","tokensBefore":1,"details":{"coppice":{"v":1,"thinkingLevel":"off","thinkingOff":true}}`), user("u3", "b", "d"), entry("compaction", "c", "u3", `"summary":"s","firstKeptEntryId":"u3","tokensBefore":1`)}, "off", "off"},
		"none of ours, then another": {[]string{user("u1", "", "a"), answer("a1", "u1", "b"), user("u2", "a1", "c"), entry("compaction", "b", "u2", `"summary":"s","firstKeptEntryId":"u2","tokensBefore":1,"details":{"coppice":{"v":1,"thinkingLevel":"off"}}`), user("u3", "b", "d"), entry("compaction", "c", "u3", `"summary":"s","firstKeptEntryId":"u3","tokensBefore":1`)}, "", "off"},
	} {
		t.Run(name, func(t *testing.T) {
			src := parse(t, tt.lines...)
			v := project(t, src)
			var known Earlier
			if err := known.Settle(t.Context(), src, v); err != nil {
				t.Fatal(err)
			}
			if v.Thinking() != tt.asked || v.ThinkingLevel != tt.seen {
				t.Errorf("asked for %q and shown as %q, want %q and %q", v.Thinking(), v.ThinkingLevel, tt.asked, tt.seen)
			}
		})
	}
}

// What a compaction records about the level is read again.
func TestRecordedLevel(t *testing.T) {
	for _, off := range []bool{true, false} {
		d := session.CompactionDraft(&session.Compaction{Summary: "s", FirstKeptEntryID: "u", Coppice: &session.CompactionDetails{ThinkingLevel: "off", ThinkingOff: off}})
		lines := []string{user("u", "", "a"), entry("compaction", "c", "u", string(d.Body[1:len(d.Body)-1]))}
		if got := project(t, parse(t, lines...)).Thinking() == "off"; got != off {
			t.Errorf("it was %v, and is read as %v", off, got)
		}
	}
}
