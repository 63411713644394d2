package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/cli"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/session"
)

// block is the content of a fenced code block and the line that it begins at.
type block struct {
	text string
	line int
}

func blocks(t *testing.T, file, language string) []block {
	t.Helper()
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []block
	var b *block
	for i, l := range strings.Split(string(doc), "\n") {
		l = strings.TrimSuffix(l, "\r")
		switch {
		case b == nil && l == "```"+language:
			b = &block{line: i + 2}
		case b != nil && l == "```":
			out, b = append(out, *b), nil
		case b != nil:
			b.text += l + "\n"
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has no %s blocks", file, language)
	}
	return out
}

// Every example line of the format is a header or an entry, and an entry's
// own view can be read.
func TestFormatExamples(t *testing.T) {
	seen := map[session.Type]bool{}
	customs := map[string]bool{}
	for _, b := range blocks(t, "format.md", "json") {
		for i, l := range strings.Split(strings.TrimSpace(b.text), "\n") {
			where := fmt.Sprintf("format.md:%d", b.line+i)
			if !rawjson.Valid([]byte(l)) {
				t.Errorf("%s: no JSON", where)
				continue
			}
			if _, ok := session.ParseHeader([]byte(l)); ok {
				continue
			}
			e, ok := session.ParseEntry([]byte(l))
			if !ok || e.Time.IsZero() {
				t.Errorf("%s: no header, and no entry with a time", where)
				continue
			}
			seen[e.Type] = true
			if c := e.Custom(); c != nil {
				customs[c.CustomType] = true
			}
			if why := unread(e); why != "" {
				t.Errorf("%s: %s", where, why)
			}
		}
	}
	for _, typ := range []session.Type{session.TypeMessage, session.TypeModelChange, session.TypeThinkingLevel, session.TypeCompaction,
		session.TypeBranchSummary, session.TypeCustom, session.TypeLabel, session.TypeInfo, session.TypeContextEdit} {
		if !seen[typ] {
			t.Errorf("no example of %s", typ)
		}
	}
	for _, c := range []string{kinds.CustomLeaf, kinds.CustomPin, kinds.CustomUncompact, kinds.CustomState} {
		if !customs[c] {
			t.Errorf("no example of %s", c)
		}
	}
}

// unread says what is missing in the typed view of an example.
func unread(e *session.Entry) string {
	switch e.Type {
	case session.TypeMessage:
		if m := must.Get(e.Message()); m == nil || m.Role == "" || (len(m.Content) == 0 && m.System == nil) {
			return "a message without role or content"
		}
	case session.TypeCompaction:
		c := e.Compaction()
		if c == nil || c.Summary == "" || c.Coppice == nil || len(c.Coppice.Request) != 1 || c.Coppice.Rung == "" || c.TokensBefore == 0 {
			return "a compaction with something missing"
		}
	case session.TypeBranchSummary:
		if b := e.BranchSummary(); b == nil || b.FromID == "" || b.Summary == "" {
			return "a branch summary with something missing"
		}
	case session.TypeContextEdit:
		if c := e.ContextEdit(); c == nil || c.TargetID == "" || c.Omit == (len(c.Content) > 0) {
			return "a context edit with something missing"
		}
	case session.TypeModelChange:
		if m := e.ModelChange(); m == nil || m.Provider == "" || m.ModelID == "" {
			return "a model change with something missing"
		}
	case session.TypeLabel:
		if l := e.Label(); l == nil || l.TargetID == "" || l.Label == "" {
			return "a label with something missing"
		}
	case session.TypeCustom:
		return unreadCustom(e)
	}
	return ""
}

func unreadCustom(e *session.Entry) string {
	switch e.Custom().CustomType {
	case kinds.CustomPin:
		if p := e.Pin(); p == nil || p.TargetID == "" || len(p.Group) == 0 {
			return "a pin with something missing"
		}
	case kinds.CustomUncompact:
		if e.Undoes() == "" {
			return "an undo of nothing"
		}
	}
	return ""
}

// The kinds of damage in the document are those that readers report.
func TestFormatNamesEveryProblem(t *testing.T) {
	doc, err := os.ReadFile("format.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{kinds.ProblemDamagedLine, kinds.ProblemTornTail, kinds.ProblemNotAnEntry, kinds.ProblemJoinedLine,
		kinds.ProblemMissingHeader, kinds.ProblemSecondHeader, kinds.ProblemNewerVersion, kinds.ProblemContinued, kinds.ProblemMissingID,
		kinds.ProblemDuplicateLine, kinds.ProblemDuplicateID, kinds.ProblemBridged, kinds.ProblemUnknownParent,
		kinds.ProblemSelfParent, kinds.ProblemForwardParent, kinds.ProblemUnknownFirstKept} {
		if !strings.Contains(string(doc), "`"+kind+"`") {
			t.Errorf("format.md does not name %s", kind)
		}
	}
}

// The table of settings agrees with the code.
func TestSettingsTable(t *testing.T) {
	doc, err := os.ReadFile("settings.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.ReplaceAll(string(doc), "\r\n", "\n"), "\n")
	documented := map[string]string{}
	for _, r := range rows {
		if m := regexp.MustCompile("^\\| `([a-zA-Z.]+)`(?: ⚿)? \\| (.*) \\|$").FindStringSubmatch(r); m != nil {
			documented[m[1]] = m[2]
		}
	}
	for _, r := range keysOf(t, t.TempDir()) {
		def := "`" + string(r.Default) + "`"
		if string(r.Default) == "null" {
			def = "unset"
		}
		if want := def + " | " + r.Help; documented[r.Key] != want {
			t.Errorf("%s: the document says %q, want %q", r.Key, documented[r.Key], want)
		}
		delete(documented, r.Key)
	}
	for key := range documented {
		t.Errorf("%s is not a key", key)
	}
}

func TestSettingsExample(t *testing.T) {
	for _, b := range blocks(t, "settings.md", "jsonc") {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(b.text), 0o600); err != nil {
			t.Fatal(err)
		}
		keysOf(t, dir)
	}
}

type listedKey struct {
	Key, Help string
	Default   json.RawMessage
}

// keysOf is what `coppice settings` lists with the settings of a folder, in
// which nothing may be wrong.
func keysOf(t *testing.T, dir string) (keys []listedKey) {
	t.Helper()
	var out, errs bytes.Buffer
	env := func(name string) string { return map[string]string{"COPPICE_CONFIG_DIR": dir}[name] }
	code := cli.Run(t.Context(), cli.Env{Args: []string{"settings", "--json"}, Out: &out, Err: &errs, Getenv: env, Dir: dir, Now: time.Now})
	if code != 0 || errs.Len() > 0 {
		t.Errorf("exit %d: %s", code, &errs)
	}
	if err := json.Unmarshal(out.Bytes(), &keys); err != nil {
		t.Fatal(err)
	}
	return keys
}

// Links between documents lead somewhere.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	for _, f := range documents(t) {
		doc, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(doc), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(f), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s: %s leads nowhere", f, m[1])
			}
		}
	}
}
