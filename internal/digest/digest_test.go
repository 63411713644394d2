package digest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOf(t *testing.T) {
	for _, tc := range []struct {
		name string
		edit Edit
		want []Change
	}{
		{"constant", Edit{Path: "read.go", Old: "const maxColumns = 256", New: "const maxColumns = 512"}, []Change{{Kind: Value, Name: "maxColumns", Old: "256", New: "512"}}},
		{"renamed", Edit{Path: "row.go", Old: "func parseRow(line string) ([]string, error) {", New: "func parseRecord(r *bufio.Reader) ([]string, int, error) {"},
			[]Change{{Kind: Renamed, Name: "parseRecord", Old: "parseRow"}}},
		{"yaml", Edit{Path: "app.yaml", Old: "  max: 10", New: "  max: 50"}, []Change{{Kind: Value, Name: "max", Old: "10", New: "50"}}},
		{"inline", Edit{Path: "server.ts", Old: "quota(db, { perMinute: 60 })", New: "quota(db, { perMinute: 100 })"}, []Change{{Kind: Value, Name: "perMinute", Old: "60", New: "100"}}},
		{"text", Edit{Path: "table.ts", Old: "  rows.sort(byName);", New: "  rows.sort(byTime);"}, []Change{{Kind: Text, Old: "rows.sort(byName);", New: "rows.sort(byTime);"}}},
		{"in a function", Edit{Path: "quota.c", Old: "\treturn p->used + p->reserved + pending(p);", New: "\treturn p->used + pending(p);",
			Before: "long quota_group(const struct pool *p)\n{\n\treturn 0;\n}\n\nlong quota_total(const struct pool *p)\n{\n\treturn p->used + p->reserved + pending(p);\n}\n"},
			[]Change{{Kind: Text, Old: "return p->used + p->reserved + pending(p);", New: "return p->used + pending(p);", In: "quota_total"}}},
		{"new file", Edit{Path: "merge.py", New: "LIMIT = 3\n\n\ndef merge(spans):\n    out = []\n    return out\n", Whole: true}, []Change{{Kind: Added, Name: "LIMIT"}, {Kind: Added, Name: "merge"}}},
		{"rust constant", Edit{Path: "parser.rs", Old: "", New: "/// Lists may be nested this deep.\nconst MAX_DEPTH: usize = 64;"}, []Change{{Kind: Added, Name: "MAX_DEPTH", New: "64"}}},
		{"signature", Edit{Path: "parser.rs", Old: "    fn list(&mut self) -> R {", New: "    fn list(&mut self, depth: usize) -> R {"},
			[]Change{{Kind: Text, Name: "list", Old: "fn list(&mut self) -> R {", New: "fn list(&mut self, depth: usize) -> R {"}}},
		{"enumerator", Edit{Path: "error.rs", Old: "pub enum Error {", New: "pub enum Error {\n    /// Nested deeper than the limit.\n    TooDeep { limit: usize },"},
			[]Change{{Kind: Text, New: "TooDeep { limit: usize },"}}},
		{"markdown", Edit{Path: "README.md", Old: "## Use\n", New: "## Use\n\n## Install\n\nRun it.\n"}, []Change{{Kind: Added, Name: "Install"}, {Kind: Text, New: "Run it."}}},
		{"colour", Edit{Path: "button.css", Old: ".primary {\n  background: #1565c0;", New: ".primary {\n  background: #2e7d32;"},
			[]Change{{Kind: Value, Name: "background", Old: "#1565c0", New: "#2e7d32", In: ".primary"}}},
		{"environment", Edit{Path: ".env", Old: "PORT=80\n", New: "PORT=8080\nHOST=a\n"}, []Change{{Kind: Value, Name: "PORT", Old: "80", New: "8080"}, {Kind: Added, Name: "HOST", New: "a"}}},
		{"removed", Edit{Path: "a.py", Old: "def a():\n    pass\n\n\ndef b():\n    pass\n", New: "def b():\n    pass\n"}, []Change{{Kind: Removed, Name: "a"}}},
		{"string", Edit{Path: "header.ts", Old: `"Water level"`, New: `"Water level (cm)"`}, []Change{{Kind: Text, Old: `"Water level"`, New: `"Water level (cm)"`}}},
	} {
		if diff := cmp.Diff(tc.want, Of(tc.edit)); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add("a.go", "func a() {}\n", "func b() {}\nconst c = 1\n", "package p\nfunc a() {}\n", false)
	f.Add("a.ts", "x: 1", "x: 2", "", true)
	f.Fuzz(func(t *testing.T, path, old, new, before string, whole bool) {
		Of(Edit{Path: path, Old: old, New: new, Before: before, Whole: whole, Section: old})
	})
}
