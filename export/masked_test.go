package export

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/secret"
	"github.com/coppice-dev/coppice/internal/testkit/history"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"pgregory.net/rapid"
)

var bg = context.Background()

var masker = &secret.Masker{}

const key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"

func TestMaskJSON(t *testing.T) {
	image := strings.Repeat("QUtJQUlPU0ZPRE5ON0VYQU1QTEU", 10)
	for _, tt := range []struct{ name, in, want string }{
		{"nothing to do", `{"a":1.50, "b":[true,null,"x\u2028\ud800"]}`, `{"a":1.50, "b":[true,null,"x\u2028\ud800"]}`},
		{"in a text", `{"text":"use ` + key + ` here"}`, `{"text":"use [secret: github-token] here"}`},
		{"in an array", `{"t":["` + key + `"]}`, `{"t":["[secret: github-token]"]}`},
		{"by its name", `{"arguments":{"password":"hunter2-and-more"}}`, `{"arguments":{"password":"[secret: password]"}}`},
		{"not in a reference", `{"id":"` + key + `","targetId":"` + key + `"}`, `{"id":"` + key + `","targetId":"` + key + `"}`},
		{"but in an argument of that name", `{"arguments":{"x":{"id":"` + key + `"}},"id":"` + key + `"}`, `{"arguments":{"x":{"id":"[secret: github-token]"}},"id":"` + key + `"}`},
		{"not in an image", `{"data":"` + image + `"}`, `{"data":"` + image + `"}`},
		{"but in data", `{"data":"` + key + `"}`, `{"data":"[secret: github-token]"}`},
		{"a name is kept", `{"` + key + `":1}`, `{"` + key + `":1}`},
		{"after an object in an array", `{"content":[{"type":"text"},"` + key + `"]}`, `{"content":[{"type":"text"},"[secret: github-token]"]}`},
		{"after the arguments", `{"arguments":{"a":[1]},"toolName":"` + key + `","b":"` + key + `"}`, `{"arguments":{"a":[1]},"toolName":"` + key + `","b":"[secret: github-token]"}`},
		{"in escapes", `{"text":"` + strings.ReplaceAll(key, "_", `\u005f`) + `"}`, `{"text":"[secret: github-token]"}`},
		{"very deep", nested(100_000, `"`+key+`"`), nested(100_000, `"[secret: github-token]"`)},
		{"twice the same name", `{"a":"` + key + `","a":2}`, `{"a":"[secret: github-token]","a":2}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := maskJSON([]byte(tt.in), masker.Mask); string(got) != tt.want {
				t.Errorf("got %.1000s, want %.1000s", got, tt.want)
			}
		})
	}
}

// nested puts a value into so many objects and arrays.
func nested(levels int, value string) string {
	return strings.Repeat(`{"a":[`, levels/2) + value + strings.Repeat(`]}`, levels/2)
}

// A line may be nested deeper than libraries read: no export loses it, or a
// secret in it.
func TestMaskedDeepLine(t *testing.T) {
	s := newSession(t)
	call := message.ToolCall{ID: "c1", Name: "write", Arguments: []byte(nested(30_000, `"`+key+` kept"`))}
	add(t, s, say(message.RoleUser, message.Text{Text: "go"}), say(message.RoleAssistant, call))
	log := Masked(s.Log(), masker.Mask)
	v := viewOf(t, session.New(log, session.Options{}), nil)
	var jsonl bytes.Buffer
	if err := JSONL(bg, log, nil, log.Header().Complete(time.Unix(0, 0)), &jsonl, JSONLOptions{Tree: true}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"jsonl":    jsonl.String(),
		"html":     htmlOf(t, log, HTMLOptions{}, v),
		"markdown": markdownOf(t, log, v, MarkdownOptions{}),
	} {
		if strings.Contains(text, key) || !strings.Contains(text, "[secret: github-token] kept") {
			t.Errorf("%s: %d bytes, the text is lost or not masked", name, len(text))
		}
	}
}

func FuzzMaskJSON(f *testing.F) {
	for _, s := range []string{`{"a":"` + key + `"}`, `[1e400,"\ud800"]`, "\"\xff\"", `{"a":{"a":[{}]},"a":""}`, `{"password":"a\"b"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !rawjson.Valid(raw) {
			return
		}
		if got := maskJSON(raw, masker.Mask); !rawjson.Valid(got) || bytes.Count(got, []byte("\n")) > bytes.Count(raw, []byte("\n")) {
			t.Fatalf("%q became %q", raw, got)
		}
	})
}

// No secret is in any export of a masked log, and the model's view of it is
// made of the same entries.
func TestMaskedExportsHoldNoSecret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSession(t)
		d := history.New(t, s)
		d.Turns(rapid.IntRange(0, 2).Draw(t, "turns"))
		d.Secret(key)
		d.Marks(rapid.IntRange(0, 2).Draw(t, "marks"))
		log := Masked(s.Log(), masker.Mask)
		masked := session.New(log, session.Options{})
		v, plain := viewOf(t, masked, nil), viewOf(t, s, nil)
		if len(v.Items) != len(plain.Items) {
			t.Fatalf("%d items, %d without masking", len(v.Items), len(plain.Items))
		}
		var jsonl bytes.Buffer
		if err := JSONL(bg, log, nil, log.Header().Complete(time.Unix(0, 0)), &jsonl, JSONLOptions{Tree: true}); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"jsonl":    jsonl.String(),
			"html":     htmlOf(t, log, HTMLOptions{}, v),
			"markdown": markdownOf(t, log, v, MarkdownOptions{}),
			"seen":     markdownOf(t, log, v, MarkdownOptions{Seen: true}),
		} {
			if strings.Contains(text, key) {
				t.Fatalf("%s holds a secret", name)
			}
		}
	})
}

func TestMaskedIsForReading(t *testing.T) {
	s := newSession(t)
	e := add(t, s, say(message.RoleUser, message.Text{Text: key}))
	log := Masked(s.Log(), masker.Mask)
	if _, err := log.Append(bg, e); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("append: %v", err)
	}
	if got, err := log.Find(bg, e[0].ID, -1); err != nil || must.Get(got.Message()).Text("") != "[secret: github-token]" || got.At != e[0].At {
		t.Errorf("found %+v, %v", got, err)
	}
	if _, err := log.Find(bg, "missing", -1); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("no one was found: %v", err)
	}
}
