package mcp

import (
	"bytes"
	"encoding/base64"
	"github.com/coppice-dev/coppice/provider"
	"io"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"
)

func TestToolName(t *testing.T) {
	long := strings.Repeat("x", 70)
	for _, tt := range []struct {
		server, tool string
		taken        []string
		want         string
	}{
		{"github", "create_issue", nil, "github__create_issue"},
		{"my server", "résumé/find", nil, "my_server__r_sum__find"},
		{"a b", "c", []string{"a_b__c"}, "a_b__c_84eff4df"},
		{"s", long, nil, "s__" + strings.Repeat("x", 52) + "_7790a31a"},
	} {
		taken := map[string]bool{}
		for _, n := range tt.taken {
			taken[n] = true
		}
		if got := toolName(tt.server, tt.tool, taken); got != tt.want {
			t.Errorf("%s, %s: %s, want %s", tt.server, tt.tool, got, tt.want)
		}
	}
}

// Names are valid for all vendors, and no two are the same.
func TestToolNamesAreTaken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		taken := map[string]bool{}
		for _, tool := range rapid.SliceOfDistinct(rapid.StringMatching(`[aé _/]{0,80}`), rapid.ID).Draw(t, "tools") {
			name := toolName("s p", tool, taken)
			if taken[name] || name == "" || len(name) > maxName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
				t.Fatalf("%q gives %q", tool, name)
			}
			taken[name] = true
		}
	})
}

func TestResult(t *testing.T) {
	png, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		t.Fatal(err)
	}
	image := message.Image{Data: pixel, MIMEType: "image/png"}
	var many []sdk.Content
	for range maxImages + 1 {
		many = append(many, &sdk.ImageContent{Data: png})
	}
	for _, tt := range []struct {
		name    string
		content []sdk.Content
		other   any
		text    string
		images  int
	}{
		{"nothing", nil, nil, "", 0},
		{"texts", []sdk.Content{&sdk.TextContent{Text: "a"}, &sdk.TextContent{Text: "b"}}, nil, "a\nb", 0},
		{"a structure alone", nil, map[string]any{"n": 1}, `{"n":1}`, 0},
		{"a structure that is said too", []sdk.Content{&sdk.TextContent{Text: "n is 1"}}, map[string]any{"n": 1}, "n is 1", 0},
		{"an image with a wrong type", []sdk.Content{&sdk.ImageContent{Data: png, MIMEType: "image/tiff"}}, nil, "[image 1]", 1},
		{"not an image", []sdk.Content{&sdk.ImageContent{Data: []byte("<svg/>"), MIMEType: "image/svg+xml"}}, nil, "[6 bytes of type image/svg+xml were left out]", 0},
		{"an image that is too large", []sdk.Content{&sdk.ImageContent{Data: append(bytes.Clone(png), make([]byte, maxImageBytes)...)}}, nil, "[3145798 bytes of type image/png were left out]", 0},
		{"too many images", many, nil, "", maxImages},
		{"sound", []sdk.Content{&sdk.AudioContent{Data: []byte("abc"), MIMEType: "audio/wav"}}, nil, "[3 bytes of type audio/wav were left out]", 0},
		{"a link", []sdk.Content{&sdk.ResourceLink{Name: "main.go", URI: "file:///main.go"}}, nil, "[link to main.go: file:///main.go]", 0},
		{"a text of its own", []sdk.Content{&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "a://b", Text: "hi"}}}, nil, "[a://b]\nhi", 0},
		{"bytes of its own", []sdk.Content{&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "a://b", Blob: png}}}, nil, "[a://b]\n[image 1]", 1},
		{"an empty resource", []sdk.Content{&sdk.EmbeddedResource{}}, nil, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := result(&sdk.CallToolResult{Content: tt.content, StructuredContent: tt.other})
			m := message.Message{Content: res.Content}
			if tt.text != "" && m.Text("") != tt.text || m.Images() != tt.images {
				t.Errorf("%q and %d images, want %q and %d", m.Text(""), m.Images(), tt.text, tt.images)
			}
			for _, b := range res.Content {
				if img, ok := b.(message.Image); ok && img != image {
					t.Errorf("image %+v", img)
				}
			}
		})
	}
}

func TestCollectSchemas(t *testing.T) {
	one := `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"z":1.0,"b":2}},{"name":"b"}]}}`
	for _, tt := range []struct {
		name, said string
		want       map[string]jsontext.Value
	}{
		{"a message", one, map[string]jsontext.Value{"a": jsontext.Value(`{"z":1.0,"b":2}`)}},
		{"lines", `{"jsonrpc":"2.0","method":"x"}` + "\n" + one + "\n{\"jsonr", map[string]jsontext.Value{"a": jsontext.Value(`{"z":1.0,"b":2}`)}},
		{"events", "event: message\r\nid: 1\r\ndata: " + one + "\r\n\r\n", map[string]jsontext.Value{"a": jsontext.Value(`{"z":1.0,"b":2}`)}},
		{"no schemas", `{"result":{"tools":[{"name":"a","inputSchema":true},7]}}`, map[string]jsontext.Value{}},
	} {
		got := map[string]jsontext.Value{}
		collectSchemas([]byte(tt.said), got)
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

func FuzzCollectSchemas(f *testing.F) {
	f.Add([]byte(`{"result":{"tools":[{"name":"a","inputSchema":{"z":1.0}}]}}`))
	f.Add([]byte("data: {\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{}}]}}\n\ndata"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := map[string]jsontext.Value{}
		collectSchemas(data, got)
		for name, schema := range got {
			if rawjson.Kind(schema) != '{' || !rawjson.Valid(schema) || !bytes.Contains(data, schema) {
				t.Errorf("%q: %q", name, schema)
			}
		}
	})
}

// Only the lines of a stream that are messages are passed on, whatever is between
// them.
func FuzzLines(f *testing.F) {
	f.Add([]byte("Welcome!\n{\"a\":1}\r\n\n[1]\n  {\"b\":2}"))
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var want []byte
		for line := range bytes.Lines(data) {
			if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
				want = append(want, line...)
			}
		}
		got, err := io.ReadAll(newLines(io.NopCloser(bytes.NewReader(data))))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	})
}

func TestExpand(t *testing.T) {
	getenv := func(name string) string { return map[string]string{"A": "1", "B_2": "${A}"}[name] }
	s, err := expand(Server{Command: "x$A", Args: []string{"${A}${B_2}", "$${A}", "${}"}, Headers: map[string]provider.Secret{"h": "Bearer ${A}"}}, getenv)
	if err != nil || s.Command != "x$A" || cmp.Diff([]string{"1${A}", "$1", "${}"}, s.Args) != "" || s.Headers["h"] != "Bearer 1" {
		t.Errorf("%+v %v", s, err)
	}
	if _, err := expand(Server{URL: "http://h/${NO}"}, getenv); err == nil || err.Error() != "the variable NO is not set" {
		t.Errorf("%v", err)
	}
}
