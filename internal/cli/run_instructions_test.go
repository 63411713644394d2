package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Instructions are those of the project: up to the root of the repository, and
// not of folders above a folder that is in none.
func TestInstructions(t *testing.T) {
	for _, tt := range []struct {
		name, git string // git: the folder with .git
		has, lack []string
	}{
		{"in a repository", "top/repo", []string{"in sub", "in repo"}, []string{"in top"}},
		{"in a repository above", "top", []string{"in sub", "in repo", "in top"}, nil},
		{"at its root", "top/repo/sub", []string{"in sub"}, []string{"in repo", "in top"}},
		{"in none", "", []string{"in sub"}, []string{"in repo", "in top"}},
	} {
		root := t.TempDir()
		sub := filepath.Join(root, "top", "repo", "sub")
		if err := os.MkdirAll(sub, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{"top", "top/repo", "top/repo/sub"} {
			if err := os.WriteFile(filepath.Join(root, dir, "AGENTS.md"), []byte("in "+filepath.Base(dir)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if tt.git != "" {
			if err := os.Mkdir(filepath.Join(root, tt.git, ".git"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		got := instructions(sub)
		for _, want := range tt.has {
			if !strings.Contains(got, want) {
				t.Errorf("%s: lacks %q: %q", tt.name, want, got)
			}
		}
		for _, no := range tt.lack {
			if strings.Contains(got, no) {
				t.Errorf("%s: has %q: %q", tt.name, no, got)
			}
		}
	}
}
