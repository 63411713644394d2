package provider_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/wire/dialects"
)

// recorded is a whole answer in a dialect, as bytes, with text, thinking and
// calls.
func recorded(t *testing.T, name string) []byte {
	t.Helper()
	server := fake.New(fake.Step{Thinking: "Zuerst überlegen…", Text: "Die Antwort 🌳 lautet: 42. Das war’s.",
		Calls: []message.ToolCall{{ID: "call_1", Name: "read", Arguments: []byte(`{"path":"/tmp/größe.txt"}`)}}})
	defer server.Close()
	b := server.Bind(name)
	var body []byte
	b.Client = provider.New(provider.ProviderConfig{BaseURL: server.BaseURL(name)}, dialect(t, name),
		&http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			resp, err := http.DefaultTransport.RoundTrip(r)
			if err == nil {
				body, err = io.ReadAll(resp.Body)
				resp.Body = io.NopCloser(bytes.NewReader(body))
			}
			return resp, err
		})})
	must.Get(b.Complete(t.Context(), request, message.CallOptions{}))
	return body
}

// ask sends one request to a server that says body.
func ask(t *testing.T, name string, bodies ...string) (answer *message.Message, tries int, err error) {
	t.Helper()
	cl := provider.New(provider.ProviderConfig{BaseURL: "http://server/v1"}, dialect(t, name), &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		tries++
		return reply(200, bodies[min(tries, len(bodies))-1]), nil
	})})
	cl.Retry.Sleep = func(context.Context, time.Duration) error { return nil }
	answer, err = cl.Complete(t.Context(), model, request, message.CallOptions{})
	return answer, tries, err
}

// An answer that was cut at any byte is the whole answer or none, in every
// dialect, and none is asked for again.
func TestAnswerCutAnywhere(t *testing.T) {
	for _, d := range dialects.All() {
		whole := string(recorded(t, d.Name()))
		want, _, err := ask(t, d.Name(), whole)
		if err != nil {
			t.Fatal(err)
		}
		for cut := 0; cut < len(whole); cut += amount.Of(3, 1) {
			got, tries, err := ask(t, d.Name(), whole[:cut], whole)
			if err != nil || cmp.Diff(want.Content, got.Content) != "" || got.StopReason != want.StopReason || tries > 2 {
				t.Fatalf("%s cut at %d: %d tries, %v, %+v", d.Name(), cut, tries, err, got)
			}
			if strings.Contains(whole[cut:], "read") && tries != 2 {
				t.Fatalf("%s cut at %d: it was taken as whole", d.Name(), cut)
			}
		}
	}
}

// An event that is torn within the stream is asked for again, and so is what a
// proxy says instead of an answer; if it stays so, the error says what came.
func TestNoAnswer(t *testing.T) {
	for _, d := range dialects.All() {
		whole := string(recorded(t, d.Name()))
		event := strings.Index(whole, "Die Antwort")
		end := event + strings.Index(whole[event:], "\n\n")
		for _, tt := range []struct{ name, body, want string }{
			{"a torn event", whole[:event+7] + whole[end:], "an event of the stream is torn: {"},
			{"torn within a character", strings.Replace(whole[:end], "🌳", "\xf0\x9f", 1)[:strings.Index(whole, "🌳")+2] + whole[end:], "an event of the stream is torn: {"},
			{"a page", "\n<!DOCTYPE html><html><head><style>a{}</style><title>\n 502 Bad &amp; gone\n</title></head><body><h1>x</h1></body></html>",
				`transient (HTTP 200): a web page came instead of an answer: "502 Bad & gone"`},
			{"a page without a title", "<HTML><BODY><H1>Gateway <b>Timeout</b></H1><p>sorry</p></BODY></HTML>", `a web page came instead of an answer: "Gateway Timeout"`},
			{"a page that talks of other things", "<html><title>Log in</title><p>401 Unauthorized: invalid API key, prompt is too long: 205030 tokens > 200000 maximum</p></html>", `"Log in"`},
			{"a page with a mark", "\ufeff<?xml version=\"1.0\"?><html><title>Wartung</title></html>", `"Wartung"`},
			{"plain text", "upstream connect error or disconnect/reset before headers. reset reason: overflow", "upstream connect error"},
			{"plain text that nobody knows", "the hamster left the wheel", "the hamster left the wheel"},
			{"text in the stream", "data: the hamster left the wheel\n\n", "the hamster left the wheel"},
			{"half a body", `{"id":"1","choices":[{"mess`, "unexpected EOF"},
			{"comments alone", ": keep-alive\n\n: keep-alive\n\n", "unexpected EOF"},
		} {
			_, tries, err := ask(t, d.Name(), tt.body)
			if f, ok := message.AsFault(err); !ok || f.Class != message.ClassTransient || f.Limit != (message.Limit{}) || tries != 4 || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %s: %d tries, %v", d.Name(), tt.name, tries, err)
			}
			if _, tries, err := ask(t, d.Name(), tt.body, whole); err != nil || tries != 2 {
				t.Errorf("%s: %s, then an answer: %d tries, %v", d.Name(), tt.name, tries, err)
			}
		}
		// Words that mean something are not a reason to ask again.
		_, tries, err := ask(t, d.Name(), "prompt is too long: 205030 tokens > 200000 maximum")
		if f, ok := message.AsFault(err); !ok || f.Class != message.ClassOverflow || tries != 1 {
			t.Errorf("%s: %d tries, %v", d.Name(), tries, err)
		}
	}
}
