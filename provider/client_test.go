package provider_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire"
	"github.com/coppice-dev/coppice/wire/dialects"
)

// roundTrip is a server without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func reply(status int, body string, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

// good is a short answer in chat completions.
const good = `data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"fine"},"finish_reason":null}]}

data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]

`

var (
	model   = message.Model{Provider: "p", ID: "m", API: "openai-chat", Window: 100_000, MaxOutput: 1000}
	request = timeline.Request{Messages: []*message.Message{{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "hi"}}}}}
)

func dialect(t *testing.T, name string) wire.Dialect {
	t.Helper()
	d, ok := dialects.ByName(name)
	if !ok {
		t.Fatalf("no dialect %s", name)
	}
	return d
}

func client(t *testing.T, cfg provider.ProviderConfig, serve roundTrip) *provider.Client {
	t.Helper()
	if cfg.BaseURL == "" {
		cfg.BaseURL = "http://server/v1"
	}
	return provider.New(cfg, dialect(t, "openai-chat"), &http.Client{Transport: serve})
}

// script serves one answer after the other and repeats the last.
func script(answers ...*http.Response) (roundTrip, *int) {
	n := 0
	return func(*http.Request) (*http.Response, error) {
		a := answers[min(n, len(answers)-1)]
		n++
		return a, nil
	}, &n
}

// Temporary failures are retried, with growing pauses or as the server says;
// nothing else is.
func TestRetry(t *testing.T) {
	overloaded := func() *http.Response { return reply(529, "") }
	for _, c := range []struct {
		name    string
		answers []*http.Response
		class   message.Class // "": answered
		tries   int
		waits   []string
	}{
		{"first try", []*http.Response{reply(200, good)}, "", 1, nil},
		{"passing", []*http.Response{overloaded(), overloaded(), reply(200, good)}, "", 3, []string{"2s", "4s"}},
		{"lasting", []*http.Response{overloaded(), overloaded(), overloaded(), overloaded()}, message.ClassTransient, 4, []string{"2s", "4s", "8s"}},
		{"named wait", []*http.Response{reply(429, "", "Retry-After", "7"), reply(200, good)}, "", 2, []string{"=7s"}},
		{"long wait", []*http.Response{reply(429, "slow down", "Retry-After", "3600")}, message.ClassRateLimit, 1, nil},
		{"overflow", []*http.Response{reply(400, "prompt is too long: 205030 tokens > 200000 maximum")}, message.ClassOverflow, 1, nil},
		{"never fits", []*http.Response{reply(429, "Request too large on tokens per min (TPM): Limit 30000, Requested 31538.")}, message.ClassOverflow, 1, nil},
		{"auth", []*http.Response{reply(401, "")}, message.ClassAuth, 1, nil},
		{"quota", []*http.Response{reply(429, `{"error":{"code":"insufficient_quota"}}`)}, message.ClassQuota, 1, nil},
		{"bad request", []*http.Response{reply(400, "no such field")}, message.ClassBadRequest, 1, nil},
		{"cut off", []*http.Response{reply(200, good[:60]), reply(200, good)}, "", 2, []string{"2s"}},
		{"nothing at all", []*http.Response{reply(200, ""), reply(200, good)}, "", 2, []string{"2s"}},
		{"error in a whole body", []*http.Response{reply(200, `{"error":{"message":"Context size has been exceeded"}}`, "Content-Type", "application/json")}, message.ClassOverflow, 1, nil},
		{"error in the stream", []*http.Response{reply(200, "data: {\"error\":{\"message\":\"context_length_exceeded\"}}\n\n")}, message.ClassOverflow, 1, nil},
	} {
		serve, tries := script(c.answers...)
		cl := client(t, provider.ProviderConfig{}, serve)
		var waits []time.Duration
		cl.Retry.Sleep = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
		notices := 0
		cl.Retry.Notify = func(try int, _ time.Duration, f *message.Fault) {
			notices++
			if try != notices || f == nil {
				t.Errorf("%s: notice of try %d, %v", c.name, try, f)
			}
		}
		m, err := cl.Complete(t.Context(), model, request, message.CallOptions{})
		if f, ok := message.AsFault(err); c.class != "" && (!ok || f.Class != c.class) || c.class == "" && (err != nil || m.Text("") != "fine") {
			t.Errorf("%s: got %+v, %v", c.name, m, err)
		}
		if *tries != c.tries || notices != len(waits) {
			t.Errorf("%s: %d tries, want %d; %d notices", c.name, *tries, c.tries, notices)
		}
		checkWaits(t, c.name, waits, c.waits)
	}
}

// checkWaits allows a quarter of jitter, but none in "=7s".
func checkWaits(t *testing.T, name string, got []time.Duration, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: waits %v, want %v", name, got, want)
		return
	}
	for i, w := range want {
		exact := strings.HasPrefix(w, "=")
		d, err := time.ParseDuration(strings.TrimPrefix(w, "="))
		if err != nil {
			t.Fatal(err)
		}
		if exact && got[i] != d || got[i] < d*3/4 || got[i] > d*5/4+1 {
			t.Errorf("%s: wait %d is %v, want %s", name, i, got[i], w)
		}
	}
}

func TestRetrySettings(t *testing.T) {
	serve, tries := script(reply(503, ""))
	cl := client(t, provider.ProviderConfig{}, serve)
	cl.Retry.Enabled = new(false)
	if _, err := cl.Complete(t.Context(), model, request, message.CallOptions{}); err == nil || *tries != 1 {
		t.Errorf("%d tries, %v", *tries, err)
	}
	synctest.Test(t, func(t *testing.T) { // the real sleep
		serve, tries := script(reply(503, ""), reply(503, ""), reply(200, good))
		cl := client(t, provider.ProviderConfig{}, serve)
		cl.Retry.BaseDelay = time.Minute
		start := time.Now()
		if _, err := cl.Complete(t.Context(), model, request, message.CallOptions{}); err != nil || *tries != 3 {
			t.Errorf("%d tries, %v", *tries, err)
		}
		if d := time.Since(start); d < 135*time.Second || d > 226*time.Second {
			t.Errorf("waited %v", d)
		}
	})
}

// What was shown is not taken back by a retry.
func TestStreamNoReplay(t *testing.T) {
	serve, tries := script(reply(200, good[:strings.Index(good, "\n\n")+2]), reply(200, good))
	cl := client(t, provider.ProviderConfig{}, serve)
	cl.Retry.Sleep = func(context.Context, time.Duration) error { return nil }
	text, last := "", error(nil)
	for ev, err := range cl.Stream(t.Context(), model, request, message.CallOptions{}) {
		text += ev.TextDelta
		last = err
	}
	if f, ok := message.AsFault(last); text != "fine" || *tries != 1 || !ok || f.Class != message.ClassTransient || !errors.Is(last, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %d tries, %v", text, *tries, last)
	}
}

// A reader may leave at any event.
func TestStreamLeave(t *testing.T) {
	serve, tries := script(reply(200, good))
	for range client(t, provider.ProviderConfig{}, serve).Stream(t.Context(), model, request, message.CallOptions{}) {
		break
	}
	if *tries != 1 {
		t.Errorf("%d tries", *tries)
	}
}

// slowBody is a body that sends after pauses and is then silent until the call is
// cancelled.
func slowBody(ctx context.Context, pauses []time.Duration, say string) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		for i, p := range pauses {
			select {
			case <-time.After(p):
			case <-ctx.Done():
				w.CloseWithError(ctx.Err())
				return
			}
			n := len(say) / len(pauses)
			part := say[i*n:]
			if i < len(pauses)-1 {
				part = part[:n]
			}
			if _, err := io.WriteString(w, part); err != nil {
				return
			}
		}
		<-ctx.Done()
		w.CloseWithError(ctx.Err())
	}()
	return r
}

// The time between bytes is limited, not the time for the whole answer.
func TestIdleTimeout(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name   string
		pauses []time.Duration
		idle   time.Duration
		ok     bool
		after  time.Duration
	}{
		{"slow but alive", []time.Duration{300 * s, 59 * s, 59 * s, 59 * s}, 0, true, 477 * s},
		{"silent from the start", []time.Duration{601 * s}, 0, false, 600 * s},
		{"silent in the middle", []time.Duration{s, s, 61 * s}, 0, false, 62 * s},
		{"shorter", []time.Duration{s, s, 11 * s}, 10 * s, false, 12 * s},
		{"no limit", []time.Duration{s, 10_000 * s}, -1, true, 10_001 * s},
	} {
		synctest.Test(t, func(t *testing.T) {
			cl := client(t, provider.ProviderConfig{}, func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: slowBody(r.Context(), c.pauses, good)}, nil
			})
			cl.IdleTimeout, cl.Retry.Enabled = c.idle, new(false)
			start := time.Now()
			_, err := cl.Complete(t.Context(), model, request, message.CallOptions{})
			if took := time.Since(start); took != c.after {
				t.Errorf("%s: took %v, want %v", c.name, took, c.after)
			}
			f, isFault := message.AsFault(err)
			if c.ok && err != nil || !c.ok && (!isFault || f.Class != message.ClassTransient || !strings.Contains(err.Error(), "sent nothing")) {
				t.Errorf("%s: got %v", c.name, err)
			}
		})
	}
}

// Only the server's silence counts, not a slow reader.
func TestIdleTimeoutSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		serve, _ := script(reply(200, strings.Repeat(good[:strings.Index(good, "\n\n")+2], 3)+good))
		for _, err := range client(t, provider.ProviderConfig{}, serve).Stream(t.Context(), model, request, message.CallOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
	})
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		serve := func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: slowBody(r.Context(), []time.Duration{time.Hour}, good)}, nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := client(t, provider.ProviderConfig{}, serve).Complete(ctx, model, request, message.CallOptions{})
		if _, ok := message.AsFault(err); !ok || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}

		busy, tries := script(reply(503, "")) // cancelled in the pause
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = client(t, provider.ProviderConfig{}, busy).Complete(ctx, model, request, message.CallOptions{})
		if !errors.Is(err, context.DeadlineExceeded) || *tries != 1 {
			t.Errorf("%d tries, %v", *tries, err)
		}
	})
}

func TestHeadersAndAddress(t *testing.T) {
	for _, c := range []struct {
		dialect, base, url string
		want               map[string]string
	}{
		{"anthropic", "", "https://api.anthropic.com/v1/messages", map[string]string{"X-Api-Key": "secret-key", "Anthropic-Version": "2023-06-01", "Authorization": ""}},
		{"anthropic", "http://gate/v1/", "http://gate/v1/messages", nil},
		{"anthropic", "http://gate/anthropic", "http://gate/anthropic/v1/messages", nil},
		{"openai-chat", "", "https://api.openai.com/v1/chat/completions", map[string]string{"Authorization": "Bearer secret-key", "X-Api-Key": ""}},
		{"openai-responses", "", "https://api.openai.com/v1/responses", map[string]string{"Authorization": "Bearer secret-key"}},
		{"gemini", "", "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse", map[string]string{"X-Goog-Api-Key": "secret-key", "Authorization": ""}},
		{"openai-chat", "http://gate/x", "http://gate/x/chat/completions", map[string]string{"Content-Type": "application/json", "X-Team": "blue"}},
	} {
		var got *http.Request
		cl := provider.New(provider.ProviderConfig{BaseURL: c.base, APIKey: "secret-key", Headers: map[string]provider.Secret{"X-Team": "blue"}},
			dialect(t, c.dialect), &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				got = r
				return reply(400, "no"), nil
			})})
		if _, err := cl.Complete(t.Context(), model, request, message.CallOptions{}); err == nil {
			t.Error("no error")
		}
		if got.URL.String() != c.url {
			t.Errorf("%s at %q: got %s, want %s", c.dialect, c.base, got.URL, c.url)
		}
		for k, v := range c.want {
			if got.Header.Get(k) != v {
				t.Errorf("%s: header %s is %q, want %q", c.dialect, k, got.Header.Get(k), v)
			}
		}
	}
}

// Keys do not come back in errors, no matter who quotes them.
func TestMask(t *testing.T) {
	cfg := provider.ProviderConfig{APIKey: "my-very-own-key", Headers: map[string]provider.Secret{"X-Gate-Token": "gate-token-1"}}
	for name, serve := range map[string]roundTrip{
		"body": func(*http.Request) (*http.Response, error) {
			return reply(401, "bad key my-very-own-key, gate-token-1"), nil
		},
		"stream": func(*http.Request) (*http.Response, error) {
			return reply(200, "data: {\"error\":{\"message\":\"my-very-own-key\"}}\n\n"), nil
		},
		"network": func(*http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("proxy refused gate-token-1 of my-very-own-key: %w", io.ErrUnexpectedEOF)
		},
	} {
		cl := client(t, cfg, serve)
		cl.Retry.Enabled = new(false)
		_, err := cl.Complete(t.Context(), model, request, message.CallOptions{})
		if err == nil || strings.Contains(err.Error(), "very-own") || strings.Contains(err.Error(), "gate-token-1") {
			t.Errorf("%s: %v", name, err)
		}
		for e := errors.Unwrap(err); e != nil; e = errors.Unwrap(e) {
			if strings.Contains(e.Error(), "very-own") {
				t.Errorf("%s: %v", name, e)
			}
		}
		if name == "network" && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("the cause is lost: %v", err)
		}
	}
}

// An answer that says nothing because the window is full is a fault.
func TestFullWindow(t *testing.T) {
	serve, _ := script(reply(200, `data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"length"}],"usage":{"prompt_tokens":99500,"completion_tokens":0}}

data: [DONE]

`))
	_, err := client(t, provider.ProviderConfig{}, serve).Complete(t.Context(), model, request, message.CallOptions{})
	if f, ok := message.AsFault(err); !ok || f.Class != message.ClassOverflow || f.Limit.Max != 0 || f.Limit.Used != 99_500 {
		t.Errorf("got %v", err)
	}
}

// A 400 without a reason is an overflow if the request nearly fills the window.
func TestUnexplainedRefusal(t *testing.T) {
	long := timeline.Request{Messages: []*message.Message{{Role: message.RoleUser, Content: []message.Block{message.Text{Text: strings.Repeat("word ", 80_000)}}}}}
	for _, c := range []struct {
		req  timeline.Request
		want message.Class
	}{{long, message.ClassOverflow}, {request, message.ClassBadRequest}} {
		serve, _ := script(reply(400, ""))
		_, err := client(t, provider.ProviderConfig{}, serve).Complete(t.Context(), model, c.req, message.CallOptions{})
		if f, ok := message.AsFault(err); !ok || f.Class != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
