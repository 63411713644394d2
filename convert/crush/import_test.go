package crush

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/testkit/importtest"
	"github.com/coppice-dev/coppice/session"
	"github.com/google/go-cmp/cmp"
)

// project makes the database of testdata/project.sql in a folder. Its newest
// session has files in a prompt, parallel calls with results, a picture in a
// result, a model switch, three compactions of which one has no text, and
// answers that ended in every way.
func project(t testing.TB, params string) (path string, db *sql.DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "shop", ".crush", "crush.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/project.sql")
	if err != nil {
		t.Fatal(err)
	}
	if db, err = sql.Open("sqlite", path+params); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(string(script)); err != nil {
		t.Fatal(err)
	}
	return path, db
}

func TestImport(t *testing.T) {
	path, _ := project(t, "")
	src := importtest.File(t, path)
	if head, _ := os.ReadFile(path); !Importer.Recognizes("x.db", head) {
		t.Error("the file is not recognized")
	}
	r := importtest.Import(t, Importer, src)
	want, err := os.ReadFile("testdata/project.want")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(strings.TrimSpace(string(want)), "\n"), importtest.Lines(t, r.Session)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(convert.Counts{Messages: 11, Calls: 4, Results: 3, Images: 3, Compactions: 2}, r.Counts); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]int{"attachment": 1, "compaction without a summary": 1, "damaged message": 1, "image on the web": 1,
		"message of role system": 1, "other session": 1, "part shrug": 1, "subagent session": 1, "version of a file": 1}, r.Skipped); d != "" {
		t.Error(d)
	}
	importtest.Check(t, r.Session, false)
}

func TestDescribe(t *testing.T) {
	path, db := project(t, "")
	tests := []struct {
		session, id string
		at          time.Time
	}{
		{"", "new", time.Unix(1767225600, 0)},
		{"old", "old", time.Unix(1767225000, 0)},
		{"ol", "old", time.Unix(1767225000, 0)},
		{"a1$$call_2", "", time.Unix(1767225800, 0)}, // an id that no file could have
	}
	for _, tt := range tests {
		src := importtest.File(t, path).Source
		src.Session = tt.session
		h, err := Importer.Describe(t.Context(), src)
		if err != nil || h.ID != tt.id || h.Cwd != filepath.Dir(filepath.Dir(path)) || !h.Time.Equal(tt.at) {
			t.Errorf("%q: got %+v, %v", tt.session, h, err)
		}
	}
	src := importtest.File(t, path).Source
	src.Session = "another"
	if _, err := Importer.Describe(t.Context(), src); !errors.Is(err, convert.ErrNoSession) {
		t.Errorf("another session: got %v", err)
	}
	if _, err := db.Exec("INSERT INTO sessions SELECT 'older', NULL, title, 0, 0, 0, 0, 0, 0, NULL FROM sessions WHERE id = 'old'"); err != nil {
		t.Fatal(err)
	}
	var ambiguous *session.AmbiguousError
	src.Session = "ol"
	if _, err := Importer.Describe(t.Context(), src); !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 2 {
		t.Errorf("an ambiguous session: got %v", err)
	}
	src.Session = "old"
	if h, err := Importer.Describe(t.Context(), src); err != nil || h.ID != "old" {
		t.Errorf("an id that another begins with: got %+v, %v", h, err)
	}
}

// A file that is not a Crush database is an error, also if only a part is
// missing.
func TestNotOurs(t *testing.T) {
	path, _ := project(t, "")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"empty": nil, "text": []byte("# notes"), "head": whole[:100], "cut in a page": whole[:5000]} {
		file := filepath.Join(t.TempDir(), "crush.db")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Importer.Describe(t.Context(), importtest.File(t, file).Source); !errors.Is(err, convert.ErrNotOurs) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Importing writes nothing, to the database or next to it.
func TestLeavesNoTrace(t *testing.T) {
	path, db := project(t, "")
	db.Close()
	before, _ := os.ReadFile(path)
	importtest.Import(t, Importer, importtest.File(t, path))
	after, _ := os.ReadFile(path)
	entries, _ := os.ReadDir(filepath.Dir(path))
	if string(before) != string(after) || len(entries) != 1 {
		t.Errorf("the folder holds %v", entries)
	}
}

// Rows that a running Crush has written, but not yet moved into the file, are
// imported too.
func TestDatabaseInUse(t *testing.T) {
	path, _ := project(t, "?_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(0)")
	if wal, err := os.Stat(path + "-wal"); err != nil || wal.Size() == 0 {
		t.Fatalf("there is no log next to the database: %v", err)
	}
	if r := importtest.Import(t, Importer, importtest.File(t, path)); r.Counts.Messages != 11 {
		t.Errorf("%d messages came over, want 11", r.Counts.Messages)
	}
}

// Parts come from outside: whatever they contain, the result is a sound session.
func FuzzParts(f *testing.F) {
	for _, parts := range []string{`[{"type":"text","data":{"text":"x"}}]`, `[{"type":"tool_call","data":{"id":1,"input":"{"}},{"type":"finish"}]`,
		`[{"type":"binary","data":{"Data":"%","MIMEType":"text/x"}}]`, `[1,null,{"type":"tool_result","data":[]}]`, `{}`, `[`} {
		f.Add("assistant", parts)
		f.Add("user", parts)
		f.Add("tool", parts)
	}
	path, db := project(f, "")
	f.Fuzz(func(t *testing.T, role, parts string) {
		if _, err := db.Exec("INSERT OR REPLACE INTO messages VALUES ('u2', 'new', ?, ?, 'm', 1767225607, 0, NULL, 'p', 0)", role, parts); err != nil {
			t.Fatal(err)
		}
		r := importtest.Import(t, Importer, importtest.File(t, path))
		importtest.Check(t, r.Session, false)
	})
}
