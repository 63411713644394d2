package carry

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
)

var ctx = context.Background()

func TestDataURL(t *testing.T) {
	tests := []struct {
		url  string
		want message.Image
		ok   bool
	}{
		{"data:image/png;base64,aGk=", message.Image{Data: "aGk=", MIMEType: "image/png"}, true},
		{"data:image/jpeg;name=a.jpg;base64,aGk=", message.Image{Data: "aGk=", MIMEType: "image/jpeg"}, true},
		{"data:text/plain;base64,aGk=", message.Image{}, false},
		{"data:image/png;base64,", message.Image{}, false},
		{"data:image/png", message.Image{}, false},
		{"file:///a.png", message.Image{}, false},
		{"", message.Image{}, false},
	}
	for _, tt := range tests {
		if got, ok := DataURL(tt.url); ok != tt.ok || ok && got != tt.want {
			t.Errorf("%s: got %+v %t", tt.url, got, ok)
		}
	}
}

func TestAPI(t *testing.T) {
	for provider, want := range map[string]string{
		"anthropic": "anthropic-messages", "google-vertex-anthropic": "anthropic-messages", "openai": "openai-responses",
		"github-copilot/gpt-5.2-codex": "openai-responses", "github-copilot/claude-opus-4.6": "openai-completions",
		"google": "google-generative-ai", "gemini": "google-generative-ai", "ollama": "openai-completions", "": "openai-completions",
	} {
		p, model, _ := strings.Cut(provider, "/")
		if got := API(p, model); got != want {
			t.Errorf("%s: got %s, want %s", provider, got, want)
		}
	}
}

// Only changes are written, and an empty value changes nothing.
func TestState(t *testing.T) {
	log, err := memstore.New(nil).Create(ctx, session.Header{})
	if err != nil {
		t.Fatal(err)
	}
	to := scribe.New(convert.NewSink(session.New(log, session.Options{})))
	at := time.UnixMilli(1700000000000)
	var s State
	for _, step := range []func() error{
		func() error { return s.Model(ctx, to, "p", "m", at) },
		func() error { return s.Model(ctx, to, "p", "m", at) },
		func() error { return s.Model(ctx, to, "q", "", at) },
		func() error { return s.Level(ctx, to, "high", at) },
		func() error { return s.Level(ctx, to, "high", at) },
		func() error { return s.Level(ctx, to, "thinking-hard", at) },
		func() error { return s.Model(ctx, to, "q", "m", at) },
		func() error { return Name(ctx, to, " two\nlines ", at) },
		func() error { return Name(ctx, to, "\n", at) },
		func() error { return to.End(ctx) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for e, err := range log.All(ctx) {
		if err != nil || !e.Time.Equal(at) {
			t.Fatal(err, e.Time)
		}
		name, _ := e.Name()
		m := e.ModelChange()
		if m == nil {
			m = &session.ModelChange{}
		}
		got = append(got, m.Provider+m.ModelID+e.ThinkingLevel()+name)
	}
	if s := strings.Join(got, "|"); s != "pm|high|qm|two lines" {
		t.Errorf("got %s", s)
	}
}

func TestCallIDs(t *testing.T) {
	var ids CallIDs
	for _, step := range [][2]string{{"a", "a"}, {"a", "a_2"}, {"a_2", "a_2_2"}, {"a", "a_3"}, {"", "call"}, {"", "call_2"}} {
		if got := ids.Unique(step[0]); got != step[1] {
			t.Errorf("%q became %q, want %q", step[0], got, step[1])
		}
	}
}
