package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/coppice-dev/coppice/provider"
	"io"
	"os"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A test binary with this variable is an MCP server over standard input and
// output, of the kind that it names.
const asServer = "COPPICE_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	switch kind := os.Getenv(asServer); kind {
	case "":
		os.Exit(m.Run())
	case "mute": // reads everything and answers nothing
		fmt.Fprintln(os.Stderr, "thinking about it")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "broken":
		fmt.Fprintln(os.Stderr, "no licence found")
		os.Exit(3)
	case "noisy":
		fmt.Println("Welcome to the server!")
		fallthrough
	default:
		_ = testServer(context.Background()).Run(context.Background(), &sdk.StdioTransport{})
	}
}

// self is this binary as a server.
func self(t *testing.T, kind string) Server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Server{Name: kind, Command: exe, Env: map[string]provider.Secret{asServer: provider.Secret(kind), "GORACE": "atexit_sleep_ms=0"}}
}

// oddSchema is a schema whose bytes would change in a map.
const oddSchema = `{"type":"object","properties":{"zeta":{"type":"integer","maximum":12345678901234567890},"alpha":{"type":"string","default":"<b>"}},"required":["zeta"],"x-more":1.0}`

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// testServer is a server whose tools do what tests need. None of them hangs after
// the test.
func testServer(life context.Context) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	add := func(name, schema string, run sdk.ToolHandler) {
		s.AddTool(&sdk.Tool{Name: name, Description: "does " + name, InputSchema: json.RawMessage(schema)}, run)
	}
	said := func(text string) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	}
	none := `{"type":"object"}`
	add("echo", oddSchema, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return said(string(r.Params.Arguments))
	})
	add("env", none, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return said(strings.Join(os.Environ(), "\n"))
	})
	add("look", none, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		png, err := base64.StdEncoding.DecodeString(pixel)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "before"},
			&sdk.ImageContent{Data: png, MIMEType: "image/png"}, &sdk.TextContent{Text: "after"}}}, err
	})
	add("fail", none, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "no such table"}}}, nil
	})
	add("flood", none, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return said(strings.Repeat("one more line\n", 100_000))
	})
	add("die", none, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of luck")
		os.Exit(3)
		return nil, nil
	})
	add("hang", none, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		select {
		case <-ctx.Done():
		case <-life.Done():
		}
		return nil, errors.New("nothing came of it")
	})
	add("grow", none, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		add("grown", oddSchema, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return said("new") })
		return said("done")
	})
	return s
}
