package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Invalid UTF-8 is reported with line and entry, however long the lines before
// are.
func TestCheckReportsBytesThatAreNotText(t *testing.T) {
	dir := t.TempDir()
	file := sample(t, dir)
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 3<<20)
	_, err = f.WriteString(`{"type":"message","id":"l1","parentId":"00000059","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"` + long + `"}}` + "\n" +
		`{"type":"message","id":"l2","parentId":"l1","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"a` + "\xff\xfe" + `b"}}` + "\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := Run(t.Context(), Env{Args: []string{"--session-dir", filepath.Join(dir, "sessions"), "check", "s.jsonl", "--json"}, In: strings.NewReader(""), Out: &out, Err: &errs,
		Getenv: func(string) string { return "" }, Dir: dir, Now: func() time.Time { return time.Unix(1767225600, 0) }})
	if code != int(codeProblems) {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
	if want := `"problems":[{"kind":"invalid-utf8","line":63,"entryId":"l2",`; !strings.Contains(out.String(), want) {
		t.Errorf("%s\nis not in %s", want, out.String())
	}
}
