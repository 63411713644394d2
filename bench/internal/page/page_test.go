package page

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte("a\n<!-- speed -->\nold\n<!-- /speed -->\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, "speed", "new\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if want := "a\n<!-- speed -->\nnew\n<!-- /speed -->\nb\n"; err != nil || string(got) != want {
		t.Errorf("%q (%v), want %q", got, err, want)
	}
	if Write(path, "cost", "new\n") == nil {
		t.Error("a section that is not there was written")
	}
	if again, _ := os.ReadFile(path); string(again) != string(got) {
		t.Errorf("the failed attempt left %q", again)
	}
}
