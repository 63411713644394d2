package settings

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

func TestWindows(t *testing.T) {
	dir := t.TempDir()
	o := Options{Getenv: func(name string) string { return map[string]string{"COPPICE_CONFIG_DIR": dir}[name] }}
	check := func(want map[string]int64) {
		t.Helper()
		if got, err := Windows(o); err != nil || !maps.Equal(got, want) {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}
	check(nil)
	for _, w := range []map[string]int64{{"a/b": 32000, "a/c": 8192}, {"a/b": 16000}, {}} {
		if err := RememberWindows(o, w); err != nil {
			t.Fatal(err)
		}
	}
	check(map[string]int64{"a/b": 16000, "a/c": 8192})
	name := filepath.Join(dir, "windows.json")
	if data, err := os.ReadFile(name); err != nil || string(data) != "{\n  \"a/b\": 16000,\n  \"a/c\": 8192\n}\n" {
		t.Errorf("%s, %v", data, err)
	}
	if err := os.WriteFile(name, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Windows(o); err == nil || got != nil {
		t.Errorf("a broken file teaches %v, %v", got, err)
	}
	if err := RememberWindows(o, map[string]int64{"a/d": 1000}); err != nil {
		t.Fatal(err)
	}
	check(map[string]int64{"a/d": 1000})
}
