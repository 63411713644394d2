package settings

import "errors"

// MCPServer is a server whose tools an agent may use: a program that is
// started, or an address. In their texts ${NAME} stands for a variable of the
// environment.
type MCPServer struct {
	Type    MCPTransport      `json:"type,omitempty"` // may be left out: the other keys tell
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]Secret `json:"env,omitempty"` // beside the few variables that every program gets
	URL     URL               `json:"url,omitempty"`
	Headers map[string]Secret `json:"headers,omitempty"`

	StartTimeoutSeconds Seconds `json:"startTimeoutSeconds,omitempty"` // 0: the usual limit
	TimeoutSeconds      Seconds `json:"timeoutSeconds,omitempty"`      // of one call; 0: the usual limit
}

// MCPTransport is the way to an MCP server.
type MCPTransport string

// The ways.
const (
	MCPStdio MCPTransport = "stdio"
	MCPHTTP  MCPTransport = "http" // streamable HTTP
)

func (MCPTransport) words() []string { return []string{"stdio", "http"} }

func (s MCPServer) check() error {
	switch {
	case s.Command != "" && s.URL != "":
		return errors.New("has both a command and a url")
	case s.Command == "" && s.URL == "":
		return errors.New("must have a command or a url")
	case s.Type == MCPStdio && s.Command == "":
		return errors.New("must have a command where its type is stdio")
	case s.Type == MCPHTTP && s.URL == "":
		return errors.New("must have a url where its type is http")
	}
	return nil
}
