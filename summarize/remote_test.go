package summarize

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// endpoint serves one answer and keeps the requests.
func endpoint(t *testing.T, status int, body string) (*Remote, *[]string) {
	t.Helper()
	var got []string
	var mu sync.Mutex // the halves of a split turn are asked for side by side
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		got = append(got, r.Header.Get("Authorization")+"|"+string(b))
		mu.Unlock()
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return &Remote{URL: s.URL, Token: "tok"}, &got
}

func TestRemoteSummary(t *testing.T) {
	r, got := endpoint(t, 200, `{"summary":"All done.\n<read-files>\na\n</read-files>","shortSummary":"Done."}`)
	never := newModel(100_000, never)
	l := ladder(never)
	l.Remote = r
	res := mustSummarize(t, l, Input{History: talk(3), MaxOutput: 900, Focus: "the port"})
	if res.Rung != RungRemote || res.Summary != "All done." || res.ShortSummary != "Done." || len(never.seen) != 0 || res.Model.ID != "" {
		t.Errorf("got %+v", res)
	}
	auth, body, _ := strings.Cut((*got)[0], "|")
	if auth != "Bearer tok" || rawjson.String(rawjson.Get([]byte(body), "systemPrompt")) != systemPrompt() || rawjson.Int(rawjson.Get([]byte(body), "maxTokens")) != 900 {
		t.Errorf("request %s", (*got)[0])
	}
	inOrder(t, rawjson.String(rawjson.Get([]byte(body), "prompt")), "<conversation>", "## Goal", "the port")
}

// The prefix of a split turn goes to the endpoint, too (design: rulings).
func TestRemoteGetsThePrefix(t *testing.T) {
	r, got := endpoint(t, 200, `{"summary":"S"}`)
	all := talk(4)
	mustSummarize(t, &Ladder{Remote: r}, Input{History: all[:8], Prefix: all[8:]})
	if len(*got) != 2 {
		t.Errorf("%d requests", len(*got))
	}
}

func TestRemoteFailures(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"status", 500, `{"summary":"S"}`, "500"},
		{"too large a request", 413, `context_length_exceeded`, "413"},
		{"redirect", 302, ``, "302"},
		{"no JSON", 200, `Gateway`, "no summary"},
		{"torn JSON", 200, `{"summary":"S"`, "no summary"},
		{"no summary", 200, `{"text":"S"}`, "no summary"},
		{"wrong kind", 200, `{"summary":{"a":1}}`, "no summary"},
		{"empty", 200, `{"summary":"  "}`, "empty"},
		{"error as text", 200, `{"summary":"Error generating summary: x"}`, "error-text"},
		{"too large", 200, `{"summary":"` + strings.Repeat("x", 5000) + `"}`, "larger than 4000 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, got := endpoint(t, tt.status, tt.body)
			r.MaxBytes = 4000
			res := mustSummarize(t, &Ladder{Remote: r, Models: []Model{newModel(100_000, always("model"))}}, Input{History: talk(30)})
			if len(*got) != 1 || res.Rung != RungModel || !strings.Contains(res.Attempts[0].Err, tt.want) {
				t.Errorf("%d requests, attempts %+v", len(*got), res.Attempts)
			}
		})
	}
}

func TestRemoteTimeLimit(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // the server sees the client go only then
		<-r.Context().Done()
	}))
	defer s.Close()
	r := &Remote{URL: s.URL, Timeout: time.Nanosecond}
	if _, err := r.ask(context.Background(), query{}); err == nil || !strings.Contains(err.Error(), "no answer within 1ns") {
		t.Errorf("got %v", err)
	}
}

func TestRemoteAddresses(t *testing.T) {
	for url, ok := range map[string]bool{
		"https://example.com/s": true, "http://localhost:1/s": true, "http://127.0.0.1:1": true, "http://[::1]:1": true,
		"http://example.com": false, "http://localhost.example.com": false, "ftp://example.com": false, "": false, "x": false, "https://": false, "http://10.0.0.1": false,
	} {
		if err := (&Remote{URL: url}).Validate(); (err == nil) != ok {
			t.Errorf("%q: %v", url, err)
		}
	}
}
