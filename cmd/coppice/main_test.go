package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"coppice": main})
}

// Each script has a home of its own and starts with the sessions of fixtures
// in its folder.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("XDG_DATA_HOME", filepath.Join(home, "data"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
			env.Setenv("NO_COLOR", "1")
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			return fixtures(env.WorkDir)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   exits,
			"cmpjson": cmpjson,
		},
	})
}

// exits runs a program and asserts its exit code: exits 3 coppice uncompact x.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// cmpjson compares the JSON values in two files. In the second one "*" stands
// for any value, and a variable of the environment for what it holds.
func cmpjson(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cmpjson GOT WANT")
	}
	got, want := values(ts, ts.ReadFile(args[0])), values(ts, os.Expand(ts.ReadFile(args[1]), ts.Getenv))
	if len(got) != len(want) {
		ts.Fatalf("%d values, want %d", len(got), len(want))
	}
	for i := range got {
		if at := differ("value", got[i], want[i]); at != "" {
			ts.Fatalf("%s\nin %s", at, ts.ReadFile(args[0]))
		}
	}
}

func values(ts *testscript.TestScript, text string) []any {
	var out []any
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var v any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return out
		}
		ts.Check(err)
		out = append(out, v)
	}
}

// differ says where got is not what is wanted, or "".
func differ(at string, got, want any) string {
	if want == "*" {
		return ""
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		for k := range g {
			if _, ok := w[k]; !ok {
				return fmt.Sprintf("%s has %q, which is not wanted", at, k)
			}
		}
		for k, v := range w {
			gv, ok := g[k]
			if !ok {
				return fmt.Sprintf("%s lacks %q", at, k)
			}
			if d := differ(at+"."+k, gv, v); d != "" {
				return d
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		for i := range w {
			if d := differ(fmt.Sprintf("%s[%d]", at, i), g[i], w[i]); d != "" {
				return d
			}
		}
		return ""
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if bytes.Equal(a, b) {
		return ""
	}
	return fmt.Sprintf("%s is %s, want %s", at, a, b)
}
