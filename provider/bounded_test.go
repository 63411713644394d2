package provider

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/openai"
)

// An answer that never ends is cut off at the limit.
func TestEndlessAnswer(t *testing.T) {
	chunk := []byte(`data: {"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("word ", 4000) + `"}}]}` + "\n\n")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	c := New(ProviderConfig{BaseURL: server.URL, APIKey: "k"}, openai.Dialect, server.Client())
	c.Retry.Enabled = new(false)
	_, err := c.Complete(t.Context(), message.Model{Provider: "p", ID: "m"}, timeline.Request{
		Messages: []*message.Message{{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "go"}}}}}, message.CallOptions{})
	f, ok := message.AsFault(err)
	if !ok || f.Class != message.ClassUnknown || !strings.Contains(err.Error(), "too long") {
		t.Errorf("%v", err)
	}
}
