package mcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/provider"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// listen serves a server over HTTP.
func listen(t *testing.T, s *sdk.Server, o *sdk.StreamableHTTPOptions) Server {
	t.Helper()
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, o))
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections) // first: Close waits for streams
	return Server{Name: "web", URL: web.URL}
}

// Answers may be plain JSON, and sessions be unknown.
func TestHTTPOfOtherForms(t *testing.T) {
	for name, o := range map[string]*sdk.StreamableHTTPOptions{"json": {JSONResponse: true}, "stateless": {Stateless: true}, "both": {JSONResponse: true, Stateless: true}} {
		t.Run(name, func(t *testing.T) {
			r := run(t, listen(t, testServer(t.Context()), o))
			for _, tool := range r.Tools() {
				if tool.Name == "web__echo" && string(tool.Parameters) != oddSchema {
					t.Errorf("schema %s", tool.Parameters)
				}
			}
			if got := r.call(t, "web__echo", `{"zeta":1}`); got != `{"zeta":1}` {
				t.Errorf("got %s", got)
			}
		})
	}
}

// Headers go to the server with each request, with variables filled in, and to no
// other server.
func TestHeaders(t *testing.T) {
	t.Setenv("COPPICE_TEST_TOKEN", "secret-2")
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return testServer(t.Context()) }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer secret-2" || r.URL.RawQuery != "org=1" {
			t.Errorf("%s %s with authorization %q", r.Method, r.URL, got)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections)
	headers := map[string]provider.Secret{"Authorization": "Bearer ${COPPICE_TEST_TOKEN}"}
	r := run(t, Server{Name: "web", URL: web.URL + "?org=1", Headers: headers})
	if got := r.call(t, "web__echo", `{}`); got != "{}" {
		t.Errorf("got %s", got)
	}

	elsewhere := httptest.NewServer(http.RedirectHandler(web.URL, http.StatusTemporaryRedirect))
	defer elsewhere.Close()
	moved := run(t, Server{Name: "moved", URL: elsewhere.URL + "?key=hunter2", Headers: headers})
	if e := moved.next(t); e.State != Failed || !strings.Contains(e.Error, "307") || strings.Contains(e.Error, "hunter2") {
		t.Errorf("%+v", e)
	}
}

// A missing server is a failed start, whose error hides the secrets in the
// address.
func TestHTTPServerIsGone(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	web.Close()
	r := run(t, Server{Name: "web", URL: strings.Replace(web.URL, "http://", "http://me:hunter1@", 1) + "/mcp?key=hunter2"})
	if e := r.next(t); e.State != Failed || !strings.Contains(e.Error, "/mcp") || strings.Contains(e.Error, "hunter") {
		t.Errorf("%+v", e)
	}
}

// A server that forgets its sessions is initialized again.
func TestHTTPSessionIsLost(t *testing.T) {
	lost := false
	make := func() http.Handler {
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return testServer(t.Context()) }, nil)
	}
	handler := make()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if lost {
			lost, handler = false, make()
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections)
	r := run(t, Server{Name: "web", URL: web.URL})
	r.next(t)
	lost = true
	if _, err := r.try(t.Context(), t, "web__echo", `{}`); err == nil {
		return // the server needs no session
	}
	if e := r.next(t); e.State != Ended {
		t.Errorf("%+v", e)
	}
	if got := r.call(t, "web__echo", `{}`); got != "{}" {
		t.Errorf("got %s", got)
	}
}
