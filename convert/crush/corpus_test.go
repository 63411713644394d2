package crush

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/testkit/corpus"
	"github.com/coppice-dev/coppice/internal/testkit/importtest"
	"github.com/google/go-cmp/cmp"
)

// Every session of every real database is imported completely.
func TestCorpus(t *testing.T) {
	for _, file := range corpus.Files(t, "crush") {
		for id, want := range count(t, file) {
			t.Run(filepath.Base(file)+"/"+id, func(t *testing.T) {
				src := importtest.File(t, file)
				src.Session = id
				r := importtest.Import(t, Importer, src)
				if d := cmp.Diff(want, r.Counts); d != "" {
					t.Error(d)
				}
				importtest.Check(t, r.Session, want.Messages > 20)
			})
		}
	}
}

// count counts over all sessions of a database: a message each for prompts,
// answers and results.
func count(t *testing.T, file string) map[string]convert.Counts {
	t.Helper()
	db, err := open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT session_id, role, parts FROM messages")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	counts := map[string]convert.Counts{}
	for rows.Next() {
		var session, role, raw string
		var parts []struct {
			Type string
			Data struct{ MIMEType string }
		}
		if err := rows.Scan(&session, &role, &raw); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(raw), &parts); err != nil {
			t.Fatal(err)
		}
		c := counts[session]
		if role != "tool" {
			c.Messages++
		}
		for _, p := range parts {
			switch p.Type {
			case "tool_call":
				c.Calls++
			case "tool_result":
				c.Results++
				c.Messages++
			}
		}
		counts[session] = c
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return counts
}
