package anthropic

import (
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/wire/internal/check"
	"github.com/go-json-experiment/json/jsontext"
)

// order checks the role of message i against the one before it.
func (v *validator) order(i int) {
	t := v.turns[i]
	where := check.Path("messages", i)
	if i == 0 {
		if t.role == "assistant" && (len(t.blocks) == 0 || t.blocks[0].typ != "compaction") {
			v.Add(firstRole, where, "the first message is from the assistant")
		}
		return
	}
	// The vendor's own summary may come before any message.
	if before := v.turns[i-1]; before.role == t.role && t.role != "system" && !before.compaction {
		v.Add(roleOrder, where, "two %s messages in a row", t.role)
	}
}

// pairs checks the results of each message against the calls of the one
// before.
func (v *validator) pairs() {
	var p check.Pairs
	for i, t := range v.turns {
		others := false
		for _, b := range t.blocks {
			switch {
			case b.typ == "tool_use" && t.role == "assistant":
				p.Call(i, b.id, b.where)
			case b.typ == "tool_result" && t.role != "user":
				v.Add(unpairedResult, b.where, "the result of %q is in a message with the role %s", b.id, t.role)
			case b.typ == "tool_result":
				p.Result(i, b.id, b.where)
				if others {
					v.Add(resultOrder, b.where, "something else comes before the result of %q", b.id)
				}
			default:
				others = true
			}
		}
	}
	p.Faults(true, func(f check.PairFault, id, where string) {
		switch f {
		case check.LoneResult:
			v.Add(unpairedResult, where, "the message before has no call with the id %q", id)
		case check.SecondResult:
			v.Add(repeatedResult, where, "there is a second result for the call %q", id)
		case check.LoneCall:
			v.Add(unpairedCall, where, "the next message has no result for the call %q", id)
		}
	})
}

// open checks the tool round that the request continues: with thinking on,
// that round's assistant message must begin with its thinking.
func (v *validator) open(body []byte) {
	n := len(v.turns)
	if str(rawjson.Get(body, "thinking"), "type") != "enabled" || n < 2 || v.turns[n-1].role != "user" || v.turns[n-2].role != "assistant" {
		return
	}
	last, calls := v.turns[n-2].blocks, false
	for _, b := range last {
		calls = calls || b.typ == "tool_use"
	}
	if calls && !isThinking(last[0].typ) {
		v.Add(thinkingFirst, last[0].where, "thinking is on, but the open tool round begins with %s", last[0].typ)
	}
}

// marks counts cache marks in the order of the request.
type marks struct {
	n     int
	short bool // a mark with the short lifetime came before
}

// add counts a mark and reports whether its lifetime is longer than that of
// one before it.
func (m *marks) add(cache jsontext.Value) (outlives bool) {
	if rawjson.Kind(cache) != '{' {
		return false
	}
	m.n++
	if str(cache, "ttl") == "1h" {
		return m.short
	}
	m.short = true
	return false
}

func (v *validator) cacheMark(where string, b jsontext.Value) {
	cache := rawjson.Get(b, "cache_control")
	if v.marks.add(cache) {
		v.Add(markOrder, where, "a mark for an hour comes after one for five minutes")
	}
	if rawjson.Kind(cache) == '{' && isThinking(str(b, "type")) {
		v.Add(thinkingMark, where, "there is a cache mark on thinking")
	}
}
