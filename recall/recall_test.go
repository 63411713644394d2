package recall

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"github.com/coppice-dev/coppice/internal/testkit/history"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
)

// conversation makes a session of texts: user, assistant, user, ….
func conversation(t *testing.T, texts ...string) *session.Session {
	t.Helper()
	log, err := memstore.New(nil).Create(t.Context(), session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := session.New(log, session.Options{Now: func() time.Time { return now }})
	for i, text := range texts {
		m := &message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: text}}}
		if i%2 == 1 {
			m.Role, m.StopReason = message.RoleAssistant, message.StopEnd
		}
		if _, err := s.Append(t.Context(), session.MessageDraft(m)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func hits(t *testing.T, s *session.Session, query string, o Options) []Hit {
	t.Helper()
	var out []Hit
	for h, err := range Search(t.Context(), s.Log(), query, o) {
		if err != nil {
			t.Fatalf("search %s: %v", query, err)
		}
		out = append(out, h)
	}
	return out
}

func TestSearchMatches(t *testing.T) {
	texts := []string{
		"the parser fails on line 42 of config.YAML",
		"Fixed the PARSER: straße, ΣΊΣΥΦΟΣ, 1.50 and\n\tthe   end",
		"say \"hello\" to K8s",
	}
	for _, tt := range []struct {
		query string
		want  []int // indices in texts
	}{
		{"parser", []int{0, 1}},
		{"PARSER fails", []int{0}},
		{"parser hello", nil},
		{`"parser fails"`, []int{0}},
		{`"fails parser"`, nil},
		{`"and the end"`, []int{1}}, // a phrase does not end with the line
		{"config.yaml", []int{0}},
		{"STRAẞE", []int{1}},
		{"σίσυφος", []int{1}},
		{"\u212A8S", []int{2}}, // the Kelvin sign
		{`say "hello`, []int{2}},
		{`y"hello`, nil},
		{"42", []int{0}},
		{"absent", nil},
	} {
		s := conversation(t, texts...)
		path, err := s.Path(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, h := range hits(t, s, tt.query, Options{}) {
			got = append(got, slices.IndexFunc(path, func(e *session.Entry) bool { return e.ID == h.EntryID }))
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: entries %v, want %v", tt.query, got, tt.want)
		}
	}
}

func TestSearchSeesAllKindsOfEntries(t *testing.T) {
	s := conversation(t, "first")
	code := 2
	drafts := []session.Draft{
		session.MessageDraft(&message.Message{Role: message.RoleAssistant, StopReason: message.StopError, ErrorMessage: "needle in an error",
			Content: []message.Block{message.Thinking{Thinking: "needle not said"},
				message.ToolCall{ID: "c", Name: "bash", Arguments: []byte(`{"command":"grep needle"}`)}}}),
		session.MessageDraft(&message.Message{Role: message.RoleToolResult, ToolCallID: "c", ToolName: "bash",
			Content: []message.Block{message.Text{Text: "needle"}, message.Image{Data: "QQ==", MIMEType: "image/png"}}}),
		session.MessageDraft(&message.Message{Role: message.RoleBashExecution, Bash: &message.BashExecution{Command: "ls needle", Output: "none", ExitCode: &code}}),
		session.CompactionDraft(&session.Compaction{Summary: "sewing with a needle", FirstKeptEntryID: "x"}),
		session.BranchSummaryDraft(&session.BranchSummary{Summary: "lost the needle", FromID: "y"}),
		{Type: session.TypeCustomMessage, Body: []byte(`{"customType":"note","content":"a needle","display":true}`)},
		{Type: "unknown", Body: []byte(`{"text":"needle"}`)},
	}
	entries, err := s.Append(t.Context(), drafts...)
	if err != nil {
		t.Fatal(err)
	}
	var roles []string
	for _, h := range hits(t, s, "needle", Options{}) {
		roles = append(roles, h.Role)
	}
	slices.Sort(roles)
	want := []string{"assistant", "bashExecution", "branchSummary", "compactionSummary", "custom", "toolResult"}
	if !slices.Equal(roles, want) {
		t.Errorf("roles %q, want %q", roles, want)
	}
	for i, want := range []string{
		"bash({\"command\":\"grep needle\"})\nneedle in an error",
		"needle\n[image image/png]",
		"$ ls needle\nnone\n[exit code 2]",
		"sewing with a needle",
		"lost the needle",
		"a needle",
		string(must.Get(entries[6].Raw())),
	} {
		if got := must.Get(entryText(entries[i])); got != want {
			t.Errorf("text of %s: %q, want %q", entries[i].Type, got, want)
		}
	}
}

func TestSearchOrder(t *testing.T) {
	s := conversation(t, "deploy", "deploy deploy deploy", "other", "deploy")
	path, err := s.Path(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.MoveTo(t.Context(), path[2]); err != nil {
		t.Fatal(err)
	}
	got := hits(t, s, "deploy", Options{})
	want := []struct{ id, branch string }{
		{path[1].ID, branchActive}, // three times
		{path[0].ID, branchActive}, // by the user
		{path[3].ID, branchOther},
	}
	if len(got) != len(want) {
		t.Fatalf("%d hits, want %d", len(got), len(want))
	}
	for i, w := range want {
		if got[i].EntryID != w.id || got[i].Branch != w.branch || got[i].Path != "en:"+w.id {
			t.Errorf("hit %d: %+v, want %v", i, got[i], w)
		}
	}
	if few := hits(t, s, "deploy", Options{Limit: 2}); !slices.Equal(few, got[:2]) {
		t.Errorf("the best two are %v", few)
	}
	if active := hits(t, s, "deploy", Options{Active: true}); !slices.Equal(active, got[:2]) {
		t.Errorf("on the active branch: %v", active)
	}
	if r := recency(time.Unix(86400, 0), time.Unix(0, 0)); r != 1.5 {
		t.Errorf("recency of a day ago is %v, want 1.5", r)
	}
}

func TestSearchRefusesAnEmptyQuery(t *testing.T) {
	s := conversation(t, "x")
	for _, query := range []string{"", "  \n", `""`, `"  "`} {
		for _, err := range Search(t.Context(), s.Log(), query, Options{}) {
			if !errors.Is(err, ErrEmptyQuery) {
				t.Errorf("%q: %v", query, err)
			}
		}
	}
}

// A search finds exactly the entries whose text has all terms, whatever the
// raw lines look like, and each entry can be read back in pieces.
func TestSearchAndReadHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		log, err := memstore.New(nil).Create(ctx, session.Header{Cwd: "/p"})
		if err != nil {
			t.Fatal(err)
		}
		s := session.New(log, session.Options{})
		history.New(t, s).Turns(rapid.IntRange(1, 8).Draw(t, "turns"))
		text := rapid.SampledFrom([]string{"build parser", "한국어", "ПРИВЕТ", `"42 ms"`, "naïve api.go", "</summary>", `\u2028`, "read(", "make", "👩‍👩‍👧", "1", `"\"quoted\""`}).Draw(t, "query")
		q, err := parseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for h, err := range Search(ctx, log, text, Options{Limit: 1 << 20}) {
			if err != nil {
				t.Fatal(err)
			}
			found[h.EntryID] = true
			if !utf8.ValidString(h.Snippet) || strings.ContainsAny(h.Snippet, "\n\r") {
				t.Fatalf("snippet %q", h.Snippet)
			}
		}
		for e, err := range log.All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			if want := contains(e, q); want != found[e.ID] {
				t.Fatalf("%s in %s: found %v, want %v", text, must.Get(e.Raw()), found[e.ID], want)
			}
			readInPieces(ctx, t, log, e)
		}
	})
}

func contains(e *session.Entry, q query) bool {
	parts := must.Get(partsOf(e))
	for _, term := range q.terms {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.weight > 0 && bytes.Contains(fold(nil, p.text), term) }) {
			return false
		}
	}
	return true
}

func readInPieces(ctx context.Context, t *rapid.T, log session.Log, e *session.Entry) {
	step := rapid.IntRange(1, 5).Draw(t, "lines")
	var pieces []string
	for from, total := 1, 1; from <= total; from += step {
		got, err := Read(ctx, log, "en:"+e.ID, from, from+step-1)
		if err != nil {
			t.Fatal(err)
		}
		total = got.Total
		pieces = append(pieces, got.Text)
	}
	if got := strings.Join(pieces, "\n"); got != must.Get(entryText(e)) {
		t.Fatalf("pieces of %s give %q, want %q", e.ID, got, must.Get(entryText(e)))
	}
}

func TestRead(t *testing.T) {
	s := conversation(t, "one\ntwo\n\nfour\n")
	path, err := s.Path(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	id := path[0].ID
	for _, tt := range []struct {
		from, to int
		want     Text
	}{
		{0, 0, Text{From: 1, To: 5, Text: "one\ntwo\n\nfour\n"}},
		{2, 2, Text{From: 2, To: 2, Text: "two"}},
		{2, 4, Text{From: 2, To: 4, Text: "two\n\nfour"}},
		{4, 99, Text{From: 4, To: 5, Text: "four\n"}},
	} {
		tt.want.EntryID, tt.want.Path, tt.want.Role, tt.want.Total = id, "en:"+id, "user", 5
		got, err := Read(t.Context(), s.Log(), id[:6], tt.from, tt.to)
		if err != nil || got != tt.want {
			t.Errorf("lines %d to %d: %+v, %v", tt.from, tt.to, got, err)
		}
	}
	var outside *RangeError
	if _, err := Read(t.Context(), s.Log(), id, 6, 0); !errors.As(err, &outside) || outside.Total != 5 {
		t.Errorf("line 6: %v", err)
	}
	if _, err := Read(t.Context(), s.Log(), "zzz", 0, 0); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
	if _, err := Read(t.Context(), s.Log(), "en:", 0, 0); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("empty: %v", err)
	}
}

func TestReadAmbiguousPrefix(t *testing.T) {
	s := conversation(t, "x")
	if _, err := s.Append(t.Context(), session.Draft{Type: "a", ID: "zz1"}, session.Draft{Type: "a", ID: "zz2"}); err != nil {
		t.Fatal(err)
	}
	var ambiguous *session.AmbiguousError
	if _, err := Read(t.Context(), s.Log(), "zz", 0, 0); !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 2 {
		t.Errorf("%v", err)
	}
}

// A snippet shows the match and splits no character, however long the text.
func TestSnippetKeepsCharacters(t *testing.T) {
	for _, unit := range []string{"👩‍👩‍👧", "é", "🇩🇪", "한", "a"} {
		for _, n := range []int{1, 50, 3000} {
			text := strings.Repeat(unit, n) + " match " + strings.Repeat(unit, n)
			got := snippet(text, strings.Index(text, "match"))
			if !strings.Contains(got, "match") {
				t.Errorf("%s: no match in %q", unit, got)
			}
			rest, state, cluster := strings.Trim(strings.Replace(got, " match ", "", 1), "…"), -1, ""
			for rest != "" {
				if cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state); cluster != unit {
					t.Fatalf("%s × %d: torn %q", unit, n, cluster)
				}
			}
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, seed := range []string{"", "one two", `"a phrase" b`, `"open`, `a"b`, "\xff \u2028", `""`, "ΣΣ ſ\u212A"} {
		f.Add(seed, "some text "+seed)
	}
	f.Fuzz(func(t *testing.T, text, in string) {
		q, err := parseQuery(text)
		if err != nil {
			if strings.TrimSpace(strings.ReplaceAll(text, `"`, "")) != "" {
				t.Fatalf("%q has words: %v", text, err)
			}
			return
		}
		folded := fold(nil, in)
		for _, term := range q.terms {
			if len(term) == 0 || !utf8.Valid(term) || !bytes.Equal(fold(nil, string(term)), term) {
				t.Fatalf("%q: term %q is not folded", text, term)
			}
			if at := bytes.Index(folded, term); at >= 0 {
				from := unfolded(in, at)
				if !bytes.HasPrefix(fold(nil, in[from:]), term) {
					t.Fatalf("%q at %d of %q", term, from, in)
				}
			}
		}
		for _, p := range q.probes {
			if len(p) == 0 {
				t.Fatalf("%q: empty probe", text)
			}
		}
	})
}
