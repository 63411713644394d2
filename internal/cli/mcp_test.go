package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/provider/fake"
)

// weather is a minimal HTTP server with one tool.
func weather(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ID     json.RawMessage
			Method string
		}
		result := map[string]string{
			"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"weather","version":"1"}}`,
			"tools/list": `{"tools":[{"name":"today","description":"the weather","inputSchema":{"type":"object"}}]}`,
			"tools/call": `{"content":[{"type":"text","text":"rain until noon"}]}`,
		}
		switch err := json.NewDecoder(r.Body).Decode(&in); {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case err != nil || r.Header.Get("X-Key") != "k-1":
			w.WriteHeader(http.StatusForbidden)
		case in.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		case result[in.Method] == "":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, in.ID)
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, in.ID, result[in.Method])
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// The tools of the servers in the settings are offered, and asked about. A server
// that does not start is reported and disturbs nothing.
func TestRunWithServers(t *testing.T) {
	peer := weather(t)
	for _, tt := range []struct {
		name, more string
		args       []string
		out, errs  []string
	}{
		{"not allowed", "", nil, []string{"It is dry."}, []string{"mcp server weather is ready, tools: 1", "weather__today failed: not run: weather__today {} is not allowed",
			"coppice: mcp server gone failed: "}},
		{"allowed by a rule", `,"permissions":{"allow":["weather__*"]}`, []string{"--json"}, []string{`"text":"rain until noon"`,
			`{"type":"mcp_server","server":"weather","state":"ready","tools":1}`, `{"type":"mcp_server","server":"gone","state":"failed","error":"`}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := fake.New(fake.Call("1", "weather__today", `{}`), fake.Say("It is dry."))
			defer server.Close()
			with := fmt.Sprintf(`"mcpServers":{"weather":{"url":%q,"headers":{"X-Key":"k-1"}},"gone":{"command":"no-such-program-anywhere"},"off":null}`, peer.URL) + tt.more
			code, out, errs := runSet(t, server, t.TempDir(), with, append([]string{"run", "-p", "how is the weather?"}, tt.args...)...)
			if code != 0 {
				t.Errorf("exit %d", code)
			}
			for _, want := range tt.out {
				if !strings.Contains(out, want) {
					t.Errorf("standard output lacks %s:\n%s", want, out)
				}
			}
			for _, want := range tt.errs {
				if !strings.Contains(errs, want) {
					t.Errorf("standard error lacks %s:\n%s", want, errs)
				}
			}
		})
	}
}
