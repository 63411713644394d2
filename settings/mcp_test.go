package settings

import (
	"fmt"
	"strings"
	"testing"
)

// A project's servers count when it is trusted; then they merge with the
// user's, and null takes one away.
func TestMCPServers(t *testing.T) {
	in := user(`{"mcpServers":{"a":{"command":"x","args":["1"],"env":{"T":"sk-live-1"},"timeoutSeconds":5},"b":{"url":"https://me:sk-live-2@h/mcp","headers":{"K":"sk-live-3"}}}}`)
	in.Project = project(`{"mcpServers":{"a":{"args":["2"]},"b":null,"c":{"type":"stdio","command":"y"}}}`).Project
	s, problems := Resolve(in)
	if len(problems) > 0 || len(s.MCPServers) != 2 || s.MCPServers["a"].Args[0] != "1" || s.MCPServers["b"].URL == "" || s.Project.Ignored[0] != "mcpServers" {
		t.Errorf("untrusted: %+v %+v %v", s.MCPServers, s.Project, problems)
	}
	if shown := fmt.Sprintf("%s %+v", resolved(t, s, "mcpServers.a").Value, s.MCPServers["b"]); strings.Contains(shown, "sk-live") {
		t.Errorf("a secret is shown: %s", shown)
	}
	in.Trusted = true
	s, problems = Resolve(in)
	a := s.MCPServers["a"]
	if len(problems) > 0 || a.Command != "x" || a.Args[0] != "2" || a.Env["T"] != "sk-live-1" || a.TimeoutSeconds != 5 || s.MCPServers["c"].Command != "y" {
		t.Errorf("trusted: %+v %v", s.MCPServers, problems)
	}
	if b := s.MCPServers["b"]; b.Command != "" || b.URL != "" {
		t.Errorf("null leaves %+v", b)
	}
}
