package fsx_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/fsx"
)

// What a crash left of an earlier write goes with the next one: only files of ours, of
// the same path, that no program still writes.
func TestReplaceRemovesWhatACrashLeft(t *testing.T) {
	dir := t.TempDir()
	const drawn = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for name, tt := range map[string]struct{ old, stays bool }{
		".settings.json-" + drawn + ".tmp":      {true, false},
		".settings.json-" + drawn[1:] + "7.tmp": {false, true},
		".windows.json-" + drawn + ".tmp":       {true, true},
		".settings.json-mine.tmp":               {true, true},
		"settings.json.tmp":                     {true, true},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if tt.old {
			day := time.Now().Add(-24 * time.Hour)
			if err := os.Chtimes(path, day, day); err != nil {
				t.Fatal(err)
			}
		}
		if err := fsx.Replace(fsx.OS{}, filepath.Join(dir, "settings.json"), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); (err == nil) != tt.stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}
