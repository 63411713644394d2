// Package corpus finds session files of other people, where they are installed
// next to the project.
package corpus

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// full is the environment variable that asks for the large files too.
const full = "COPPICE_CORPUS_FULL"

// small is up to what size in bytes files are always tried.
const small = 1200 << 10

// Full reports whether large files are asked for.
func Full() bool { return os.Getenv(full) != "" }

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
// ones, those that are named, and the large ones if they are asked for or if
// there are no others. Without any the test is skipped.
func Files(t testing.TB, agent string, named ...string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(Dir(t, agent), "*"))
	if err != nil {
		t.Fatal(err)
	}
	if Full() {
		return all
	}
	some := slices.DeleteFunc(slices.Clone(all), func(file string) bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() > small && !slices.Contains(named, filepath.Base(file))
	})
	if len(some) == 0 {
		return all
	}
	return some
}
