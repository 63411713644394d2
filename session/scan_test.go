package session

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/calibration"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/tokens"
	"pgregory.net/rapid"
)

// entryOf is the line of a message.
func entryOf(msg string) []byte {
	return []byte(`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":` + msg + `}`)
}

func TestMetaOfAStoredMessage(t *testing.T) {
	for in, typical := range map[string]bool{
		`{"role":"user","content":"hi"}`: true,
		`{"role":"user","content":[{"type":"text","text":"é\n\u00e9 漢字 \ud83d\ude00"},{"type":"image","data":"AAAA","mimeType":"image/png"}]}`: true,
		`{"role":"user","content":[" ","\t",{"type":"text","text":"\n \t"}]}`:                                                                  true,
		`{"role":"user","content":7}`:   true,
		`{"role":"user"}`:               true,
		`{"content":"x","role":"user"}`: true,
		`{"role":"assistant","content":[{"type":"thinking","thinking":"t","thinkingSignature":"s","redacted":true}]}`:                                                                                                                          true,
		`{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"read","arguments":{"b":1.0,"a":"\u00e9"},"thoughtSignature":"s","namespace":"n"},{"type":"toolCall","id":"d"}],"provider":"p","model":"m","stopReason":"toolUse"}`: true,
		`{"role":"assistant","content":[{"type":"text","text":"x","textSignature":"s"}],"stopReason":"error"}`:                                                                                                                                 true,
		`{"role":"toolResult","toolCallId":"c","content":[{"type":"text"}]}`:                                                                                                                                                                   true,
		`{"role":"custom","customType":"x","content":"y"}`:                                                                                                                                                                                     true,
		`{"role":"user","content":[{"text":"x","type":"text"}]}`:                                                                                                                                                                               false,
		`{"role":"user","content":[{"type":"text","text":"x","text":"y"}]}`:                                                                                                                                                                    false,
		`{"role":"user","content":[{"type":"text","text":"x","type":"thinking"}]}`:                                                                                                                                                             false,
		`{"role":"user","content":[{"type":"new","text":"x"}]}`:                                                                                                                                                                                false,
		`{"role":"user","content":"x","content":"y"}`:                                                                                                                                                                                          false,
		`{"role":"user","content":[{}]}`:                                                                                                                                                                                                       false,
		"{\"role\":\"user\",\"content\":\"\xff\"}":                                                                                                                                                                                             false,
		`{"role":"bashExecution","command":"ls","output":"x","excludeFromContext":true}`:                                                                                                                                                       false,
		`{"role":"system","content":"x"}`:                                                                                                                                                                                                      false,
		`{"role":"hookMessage","content":"x"}`:                                                                                                                                                                                                 false,
		`{"role":"telepath","content":"x"}`:                                                                                                                                                                                                    false,
		`{}`:                                                                                                                                                                                                                                   false,
		`"x"`:                                                                                                                                                                                                                                  false,
	} {
		c := scan{counts: true}
		if got, valid := c.line(entryOf(in)); got != typical || !valid {
			t.Errorf("%s: typical %v, valid %v", in, got, valid)
		}
		checkScan(t, entryOf(in))
	}
}

// checkScan checks that a reader says the same about a line as decoding it.
func checkScan(t interface{ Fatalf(string, ...any) }, line []byte) {
	far := func(string, int64, int) ([]byte, error) { return line, nil }
	for _, r := range []*Reader{{}, {Far: far}, {Far: far, Later: true}} {
		e, ok := r.Entry(line, 7)
		want, is := lines.ScanHead(line)
		if whole := rawjson.Valid(line) && is && len(line) > 0 && line[0] == '{'; ok != whole {
			t.Fatalf("%s: taken for whole: %v", line, ok)
		}
		if !ok {
			continue
		}
		parsed, _ := ParseEntry(line)
		parsed.At = 7
		if e == nil {
			if parsed.ID != "" && !want.IsHeader() {
				t.Fatalf("%s: no entry", line)
			}
			continue
		}
		raw, err := e.Raw()
		if err != nil || !bytes.Equal(raw, line) || e.ID != parsed.ID || e.ParentID != parsed.ParentID || e.Type != parsed.Type || !e.Time.Equal(parsed.Time) || e.At != 7 {
			t.Fatalf("%s: %+v, want %+v, error %v", line, e, parsed, err)
		}
		if got, want := e.Meta(), parsed.Meta(); !reflect.DeepEqual(got, want) || e.HasMessage() != parsed.HasMessage() {
			t.Fatalf("%s:\n%+v, want\n%+v", line, got, want)
		}
		m, err := parsed.Message()
		sum := func(e *Entry) int64 {
			n, err := e.Tokens("")
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			return n.Sum()
		}
		if n := (tokens.Default{}).Message(m); err != nil || e.HasMessage() && sum(e) != n {
			t.Fatalf("%s: %d tokens, counted decoded %d", line, sum(e), n)
		}
		if m != nil && e.Meta().ContentBytes != int64(len(codec.EncodeContent(m.Content))) {
			t.Fatalf("%s: %d bytes, want %d", line, e.Meta().ContentBytes, len(codec.EncodeContent(m.Content)))
		}
	}
}

// png is the beginning of a PNG of 1,024×768 pixels.
const png = "iVBORw0KGgoAAAANSUhEUgAABAAAAAMACAIAAAAA"

// drawMessage draws a message as a program might store it.
func drawMessage(t *rapid.T) []byte {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ \n\t]{0,3}`), rapid.SampledFrom([]string{"", "漢字かな", "привет \"x\"\\n", "😀", "\ufffd"}))
	images := rapid.SampledFrom([]string{"", "AAAA", png, png + "=", "data:image/png;base64," + png, png[:40] + "\n" + png[40:]})
	args := rapid.OneOf(rapid.Just[any](nil), rapid.Map(text, func(s string) any { return map[string]any{"path": s, "2": 1.50, "1": []any{s, nil, true}} }), rapid.Just[any]("not an object"))
	block := rapid.Custom(func(t *rapid.T) any {
		kind := rapid.SampledFrom([]string{"text", "thinking", "image", "toolCall", "text", "other"}).Draw(t, "type")
		b := [][2]any{{"type", kind}}
		for _, name := range []string{"text", "textSignature", "thinking", "thinkingSignature", "data", "mimeType", "id", "name", "thoughtSignature", "namespace"} {
			if rapid.IntRange(0, 2).Draw(t, name) > 0 {
				v := text.Draw(t, "value")
				if name == "data" {
					v = images.Draw(t, "image")
				}
				b = append(b, [2]any{name, v})
			}
		}
		if rapid.Bool().Draw(t, "with arguments") {
			b = append(b, [2]any{"arguments", args.Draw(t, "arguments")})
		}
		if rapid.Bool().Draw(t, "redacted") {
			b = append(b, [2]any{"redacted", rapid.Bool().Draw(t, "is")})
		}
		return members(b)
	})
	m := [][2]any{{"role", rapid.SampledFrom([]string{"user", "assistant", "toolResult", "custom", "system", "bashExecution", "hookMessage", "else"}).Draw(t, "role")}}
	if rapid.Bool().Draw(t, "as text") {
		m = append(m, [2]any{"content", text.Draw(t, "content")})
	} else {
		m = append(m, [2]any{"content", rapid.SliceOfN(rapid.OneOf(block, rapid.Map(text, func(s string) any { return s }), rapid.Just[any](nil)), 0, 4).Draw(t, "blocks")})
	}
	for _, name := range []string{"provider", "model", "stopReason", "toolCallId", "command", "output", "summary"} {
		if rapid.Bool().Draw(t, name) {
			m = append(m, [2]any{name, text.Draw(t, "value")})
		}
	}
	return members(m)
}

// members is an object whose members keep their order, as text with all kinds
// of escapes.
func members(pairs [][2]any) json.RawMessage {
	out := []byte{'{'}
	for i, p := range pairs {
		if i > 0 {
			out = append(out, ',')
		}
		v, err := json.Marshal(p[1]) // escapes <, > and &, and U+2028
		if err != nil {
			panic(err)
		}
		out = append(append(append(out, rawjson.Quote(p[0].(string))...), ':'), v...)
	}
	return append(out, '}')
}

// Reading a message's bytes gives the same as decoding it, to the token.
func TestMetaAgreesWithDecoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkScan(t, entryOf(string(drawMessage(t)))) })
}

// The cost of images is known without decoding them, and escaped image texts are
// read correctly.
func TestTokensByClass(t *testing.T) {
	for in, want := range map[string]calibration.Counts{
		`{"role":"user","content":[{"type":"text","text":"漢字"},{"type":"image","data":"` + png + `","mimeType":"image/png"}]}`:                             {Scripts: 3, Media: 922},
		`{"role":"toolResult","content":[{"type":"image","data":"` + strings.ReplaceAll(png, "A", `\u0041`) + `"},{"type":"image","data":"` + png + `"}]}`: {Media: 2 * 922},
		`{"role":"user","content":[{"type":"image"},{"type":"image","data":7},{"type":"image","data":"AAAA"}]}`:                                            {Media: 3 * 1200},
		`{"role":"user","content":"What does the server do here?"}`:                                                                                        {Text: tokens.Default{}.Text("What does the server do here?")},
		`{"role":"user","content":[{"type":"new","text":"an unknown block is text"}]}`:                                                                     {Text: 14},
	} {
		e, _ := new(Reader).Entry(entryOf(in), 0)
		if got, err := e.Tokens("gpt-5.5"); got != want || err != nil {
			t.Errorf("%s: %+v, want %+v", in, got, want)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, msg := range []string{
		`{"role":"user","content":"hi"}`, `{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"read","arguments":{"a":1.0}}]}`,
		`{"role":"toolResult","toolCallId":"c","content":[{"type":"text","text":"\u00e9\ud83d\ude00"}]}`, `{"role":"user","content":[{"type":"text","text":"x","text":"y"}]}`,
		`{"role":"assistant","content":[{"type":"thinking","thinking":"a","redacted":true}],"stopReason":"error","provider":"p"}`,
	} {
		f.Add(entryOf(msg))
	}
	f.Add([]byte(`{"type":"label","id":"a","targetId":"b"}`))
	f.Fuzz(func(t *testing.T, line []byte) { checkScan(t, line) })
}
