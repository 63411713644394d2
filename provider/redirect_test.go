package provider

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/anthropic"
)

// Text and keys go where the user said: a redirect is a refusal.
func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the request went to another server")
	}))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	c := New(ProviderConfig{BaseURL: server.URL, APIKey: "k"}, anthropic.Dialect, nil)
	c.Retry.Enabled = new(false)
	_, err := c.Complete(t.Context(), message.Model{Provider: "p", ID: "m"}, timeline.Request{
		Messages: []*message.Message{{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "secret"}}}}}, message.CallOptions{})
	if f, ok := message.AsFault(err); !ok || f.Status != http.StatusTemporaryRedirect {
		t.Errorf("%v", err)
	}
}
