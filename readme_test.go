package coppice_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/cli"
)

// section is what stands between two markers of the README.
func section(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(data), "<!-- "+name+" -->\n")
	text, _, end := strings.Cut(rest, "<!-- /"+name+" -->")
	if !ok || !end {
		t.Fatalf("the README has no section %s", name)
	}
	return text
}

// The README's first command prints the README's picture.
func TestReadmePicture(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	var out, errs bytes.Buffer
	code := cli.Run(context.Background(), cli.Env{
		Args: []string{"compact", "examples/sample-session.jsonl", "-o", filepath.Join(t.TempDir(), "smaller.jsonl")},
		Out:  &out, Err: &errs, Dir: dir, Now: time.Now,
		Getenv: func(name string) string {
			if name == "HOME" {
				return home
			}
			return ""
		},
	})
	if code != 0 || errs.Len() > 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	picture := strings.TrimSuffix(strings.TrimPrefix(section(t, "picture"), "```\n"), "```\n")
	if !strings.HasPrefix(out.String(), picture) {
		t.Errorf("the command prints another picture:\n%s", out.String())
	}
}

// The README's agent is a program that is built and tested, in under thirty lines.
func TestReadmeAgent(t *testing.T) {
	code := strings.TrimSuffix(strings.TrimPrefix(section(t, "agent"), "```go\n"), "```\n")
	if n := strings.Count(code, "\n"); n >= 30 {
		t.Errorf("%d lines", n)
	}
	program, err := os.ReadFile("examples/forever/main.go")
	if err != nil || !strings.Contains(string(program), code) {
		t.Errorf("examples/forever has another one (%v)", err)
	}
}

// The README's library example is under thirty lines and its calls are those
// of Example, which is compiled.
func TestReadmeLibraryExample(t *testing.T) {
	code := section(t, "library")
	if n := strings.Count(code, "\n"); n > 30 {
		t.Errorf("%d lines", n)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{"coppice.Open(ctx, ", "s.Size(ctx, 0)", "s.Compact(ctx, compaction.Request{Focus: ", "s.Request(ctx, "} {
		if !strings.Contains(code, call) || !strings.Contains(string(example), call) {
			t.Errorf("%s stands not in both", call)
		}
	}
}
