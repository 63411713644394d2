// Package corpus finds session files of other people, where they are installed
// next to the project.
package corpus

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/amount"
)

// small is up to what size in bytes files are always tried.
const small = 512 << 10

// Dir returns the folder of the sessions of an agent. Without one the test is
// skipped.
func Dir(t testing.TB, agent string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		found := filepath.Join(dir, "shared", "corpus", agent)
		if files, _ := filepath.Glob(filepath.Join(found, "*")); len(files) > 0 {
			return found
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("corpus: not installed")
		}
		dir = up
	}
}

// Files lists the sessions of an agent for a test that tries each: the small
// ones, at least the smallest, and those that are named; all if the full amount
// is asked for. Without any the test is skipped.
func Files(t testing.TB, agent string, named ...string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(Dir(t, agent), "*"))
	if err != nil {
		t.Fatal(err)
	}
	if amount.Full() {
		return all
	}
	size := func(file string) int64 {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	least := slices.MinFunc(all, func(a, b string) int { return cmp.Compare(size(a), size(b)) })
	most := max(small, size(least))
	return slices.DeleteFunc(all, func(file string) bool {
		return size(file) > most && !slices.Contains(named, filepath.Base(file))
	})
}
