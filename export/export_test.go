package export

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/testkit/history"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/state"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

type failer interface {
	Helper()
	Fatal(...any)
}

func newSession(t failer) *session.Session {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	log, err := memstore.New(nil).Create(bg, session.Header{ID: "s-1", Cwd: "/srv/p", Time: now})
	if err != nil {
		t.Fatal(err)
	}
	return session.New(log, session.Options{Now: func() time.Time { return now }})
}

func add(t failer, s *session.Session, drafts ...session.Draft) []*session.Entry {
	t.Helper()
	entries, err := s.Append(bg, drafts...)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func say(role message.Role, content ...message.Block) session.Draft {
	m := &message.Message{Role: role, Content: content}
	if role == message.RoleAssistant {
		m.StopReason = message.StopEnd
	}
	return session.MessageDraft(m)
}

func named(id string, d session.Draft) session.Draft {
	d.ID = id
	return d
}

func viewOf(t failer, s *session.Session, leaf *session.Entry) *timeline.View {
	t.Helper()
	v, err := timeline.Project(bg, s, leaf, timeline.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// visit is a session with a branch, tools, a compaction, pins and edits.
func visit(t failer) *session.Session {
	t.Helper()
	s := newSession(t)
	exit := 2
	add(t, s,
		named("model", session.ModelDraft("anthropic", "claude-sonnet-4-5")),
		named("ask", say(message.RoleUser, message.Text{Text: "Why does *it* fail?\n\n# not a heading of ours\n```\nnever closed"})),
		named("call", session.MessageDraft(&message.Message{Role: message.RoleAssistant, StopReason: message.StopToolUse, Content: []message.Block{
			message.Thinking{Thinking: "Look first."},
			message.ToolCall{ID: "c1", Name: "bash", Arguments: []byte(`{"command":"cat <<E\n<b>\nE","timeout":30}`)}}})),
		named("result", session.MessageDraft(&message.Message{Role: message.RoleToolResult, ToolCallID: "c1", ToolName: "bash", IsError: true,
			Content: []message.Block{message.Text{Text: strings.Repeat("line\n", 20) + "```\nlast"}, message.Image{Data: "QUJD", MIMEType: "image/png"}}})),
		named("run", session.MessageDraft(&message.Message{Role: message.RoleBashExecution, Bash: &message.BashExecution{
			Command: "make", Output: "no rule", ExitCode: &exit, ExcludeFromContext: true}})),
		named("dead", say(message.RoleAssistant, message.Text{Text: "A dead end."})))
	run, err := s.Find(bg, "run", -1)
	if err != nil {
		t.Fatal(err)
	}
	dead, err := s.Leaf(bg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CommitFrom(bg, dead, s.Prepare(run, named("answer", say(message.RoleAssistant, message.Text{Text: "Because of <T>."})))); err != nil {
		t.Fatal(err)
	}
	add(t, s, named("more", say(message.RoleUser, message.Text{Text: "Go on."})),
		named("comp", session.CompactionDraft(&session.Compaction{Summary: "It failed.", FirstKeptEntryID: "more", TokensBefore: 4321})),
		named("alien", session.Draft{Type: "alien", Body: []byte(`{"x":[1,2]}`)}),
		named("label", session.LabelDraft("answer", "the [finding]")),
		named("edit", session.OmitDraft("more")),
		named("end", say(message.RoleAssistant, message.Text{Text: "Done."})))
	return s
}

func markdownOf(t failer, log session.Log, v *timeline.View, o MarkdownOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Markdown(bg, log, v, &b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func htmlOf(t failer, log session.Log, o HTMLOptions, views ...*timeline.View) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(bg, log, views, &b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdown(t *testing.T) {
	s := visit(t)
	v := viewOf(t, s, nil)
	for name, o := range map[string]MarkdownOptions{"said.md": {Title: "A <visit>"}, "seen.md": {Seen: true}} {
		want, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if got := markdownOf(t, s.Log(), v, o); got != string(want) {
			t.Errorf("%s is another:\n%s", name, got)
		}
	}
	empty := newSession(t)
	want := "# s-1\n\nSession `s-1`, 2026-01-02 03:04:05 UTC, in `/srv/p`. Everything that was said.\n\n"
	if got := markdownOf(t, empty.Log(), viewOf(t, empty, nil), MarkdownOptions{}); got != want {
		t.Errorf("of nothing: %q", got)
	}
}

func TestQuotes(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain *text*", "> plain *text*\n"},
		{"a\r\nb\rc\n\nd\n", "> a\n> b\n> c\n>\n> d\n"},
		{"# h\n```go", "> # h\n> ```go\n"},
		{"a < b && c<3", "> a < b && c<3\n"},
		{"Map<String>", "```\nMap<String>\n```\n"},
		{"</details> ```` x", "`````\n</details> ```` x\n`````\n"},
		{"[x](JavaScript:alert(1))", "```\n[x](JavaScript:alert(1))\n```\n"},
		{"&#106;avascript", "```\n&#106;avascript\n```\n"},
		{"\n\n", ""},
	} {
		if got := prose(tt.in); got != tt.want {
			t.Errorf("prose(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	for _, tt := range []struct{ in, want string }{
		{"a", "`a`"}, {"a`b", "``a`b``"}, {"`", "`` ` ``"}, {"a\nb", "`a b`"}, {"", "`  `"},
	} {
		if got := code(tt.in); got != tt.want {
			t.Errorf("code(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if got, want := inert("<b> [x](y) *z*\n# a_b `c` http://x"), "\\<b\\> \\[x\\](y) \\*z\\* \\# a\\_b \\`c\\` http://x"; got != want {
		t.Errorf("inert: %q, want %q", got, want)
	}
}

func TestArguments(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"path":"a.go","limit":3,"edits":[ {"a": 1} ]}`, "path: a.go\nlimit: 3\nedits: [{\"a\":1}]"},
		{`{"content":"one\ntwo\n","path":"x"}`, "content:\none\ntwo\npath: x"},
		{`"just text"`, `"just text"`},
		{``, ``},
		{`{}`, ``},
	} {
		if got := arguments([]byte(tt.in)); got != tt.want {
			t.Errorf("arguments(%s) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// dataOf is what a data element of a page holds.
func dataOf(t failer, page, id string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<script type="application/json" id="`+id+`">`)
	data, _, ok2 := strings.Cut(rest, "</script>")
	if !ok || !ok2 {
		t.Fatal("the page has no element " + id)
	}
	return data
}

func indexOf(t failer, page string) pageIndex {
	t.Helper()
	var x pageIndex
	if err := json.Unmarshal([]byte(dataOf(t, page, "index")), &x); err != nil {
		t.Fatal(err)
	}
	return x
}

func TestHTML(t *testing.T) {
	s := visit(t)
	dead, err := s.Find(bg, "dead", -1)
	if err != nil {
		t.Fatal(err)
	}
	page := htmlOf(t, s.Log(), HTMLOptions{Title: "A visit"}, viewOf(t, s, nil), viewOf(t, s, dead))
	x := indexOf(t, page)
	var ids []string
	for _, h := range x.Heads {
		ids = append(ids, h.ID)
	}
	if want := strings.Fields("model ask call result run dead answer more comp alien label edit end"); !slices.Equal(ids, want) {
		t.Fatalf("entries %q, want %q", ids, want)
	}
	if x.Title != "A visit" || x.Session != "s-1" || x.Cwd != "/srv/p" || x.Leaf != 12 || len(x.Problems) != 0 {
		t.Errorf("index %+v", x)
	}
	byID := func(id string) head { return x.Heads[slices.Index(ids, id)] }
	for id, want := range map[string]head{
		"result": {Up: 2, Role: message.RoleToolResult, Preview: "bash cat <<E <b> E", Filters: filterDefault, Tool: "bash", Failed: true},
		"answer": {Up: 4, Role: message.RoleAssistant, Preview: "Because of <T>.", Label: "the [finding]", Filters: filterDefault | filterNoTools | filterLabeled},
		"ask":    {Up: 0, Role: message.RoleUser, Preview: "Why does *it* fail? # not a heading of ours ``` never closed", Filters: filterDefault | filterNoTools | filterUser},
		"call":   {Up: 1, Role: message.RoleAssistant, Preview: "bash cat <<E <b> E"},
		"comp":   {Up: 7, Role: message.RoleCompactionSummary, Preview: "It failed.", Filters: filterDefault | filterNoTools, FirstKept: "more", Before: 4321},
		"edit":   {Up: 10, Preview: "more left out from here on"},
	} {
		got := byID(id)
		want.ID, want.Type, want.Time, want.Tokens = id, got.Type, got.Time, got.Tokens
		if got != want {
			t.Errorf("%s: %+v, want %+v", id, got, want)
		}
	}
	if lines := strings.Split(dataOf(t, page, "entries"), "\n"); len(lines) != len(ids) || lines[0] != "[]" ||
		!strings.HasPrefix(lines[4], `[{"k":"call","n":"$","t":"make"},{"k":"output","t":"no rule"},{"k":"note","t":"exit code 2"}`) {
		t.Errorf("%d lines of entries: %q", len(lines), lines)
	}
	v := x.Views[0]
	if v.Leaf != 12 || v.Summary != 8 || len(v.Items) != 2 || v.Items[0].Entry != 8 || v.Items[1].Entry != 12 ||
		!slices.Equal(v.LeftOut, []leftOut{{Entry: 7, Rule: "edit-null"}}) {
		t.Errorf("view %+v", v)
	}
	if v := x.Views[1]; v.Leaf != 5 || v.Summary != -1 || len(v.Items) != 4 {
		t.Errorf("view of the other branch %+v", v)
	}
}

// The page says what holds, kind by kind, and steers no terminal or text.
func TestHTMLNow(t *testing.T) {
	s := visit(t)
	st := &state.State{Items: []state.Item{
		{Kind: "request", Text: "Repair <the> till\x1b[31m\u202e.", Life: "current", By: "user"},
		{Kind: "request", Text: "Look.", Life: "done", By: "user"},
		{Kind: "failure", Text: "make test", Note: "no rule", Life: "open"},
		{Kind: "failure", Text: "make all", Life: "resolved"},
		{Kind: "file", Text: "a.go", Life: "exists"},
	}}
	for i := range nowItems + 2 {
		st.Items = append(st.Items, state.Item{Kind: "task", Text: fmt.Sprintf("task %d", i), Life: "open"})
	}
	x := indexOf(t, htmlOf(t, s.Log(), HTMLOptions{State: st}, viewOf(t, s, nil)))
	if x.Now == nil || !strings.HasPrefix(x.Now.Line, "Repair <the> till") || strings.ContainsAny(x.Now.Line+x.Now.Kinds[0].Items[0], "\x1b\u202e") {
		t.Fatalf("%+v", x.Now)
	}
	var names []string
	for _, k := range x.Now.Kinds {
		names = append(names, k.Kind)
	}
	if want := []string{"Requests", "What fails", "To do"}; !slices.Equal(names, want) || !slices.Equal(x.Now.Kinds[1].Items, []string{"`make test` fails: no rule"}) {
		t.Errorf("%+v, want %q", x.Now, want)
	}
	if todo := x.Now.Kinds[2]; todo.More != 2 || len(todo.Items) != nowItems || todo.Items[0] != "to do: task 41" {
		t.Errorf("%+v", todo)
	}
	if x := indexOf(t, htmlOf(t, s.Log(), HTMLOptions{}, viewOf(t, s, nil))); x.Now != nil {
		t.Errorf("%+v", x.Now)
	}
}

// The policy names the page's own script and style, and nothing else is
// written where a browser would act on it.
func TestHTMLPolicy(t *testing.T) {
	s := newSession(t)
	add(t, s, say(message.RoleUser, message.Text{Text: "</script><script>alert(1)</script>\u2028<!--"}))
	page := htmlOf(t, s.Log(), HTMLOptions{Title: "</title><script>alert(2)</script>"}, viewOf(t, s, nil))
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src &#39;none&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;; img-src data:; style-src &#39;sha256-") ||
		strings.Contains(policy[1], "unsafe") {
		t.Errorf("policy %q", policy)
	}
	if n := strings.Count(page, "<script"); n != 3 {
		t.Errorf("%d script elements", n)
	}
	if strings.Contains(page, "<!--") || strings.Contains(dataOf(t, page, "entries"), "\u2028") {
		t.Error("a text is not escaped")
	}
	if m := regexp.MustCompile(`(?i)(src|href|action)\s*=\s*"?(https?:|//)|@import|url\(`).FindString(page); m != "" {
		t.Errorf("the page speaks of something outside: %s", m)
	}
}

func TestJSONL(t *testing.T) {
	s := visit(t)
	h := session.Header{ID: "copy", Cwd: "/srv/p"}.Complete(time.Unix(0, 0))
	for tree, want := range map[bool]string{
		false: "model ask call result run answer more comp alien edit end label",
		true:  "model ask call result run dead answer more comp alien label edit end",
	} {
		file := filepath.Join(t.TempDir(), "out.jsonl")
		var b bytes.Buffer
		if err := JSONL(bg, s.Log(), nil, h, &b, JSONLOptions{Tree: tree}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		log, err := filestore.New(t.TempDir(), filestore.Options{}).Open(bg, file, session.Mode{})
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		var ids []string
		for e, err := range log.All(bg) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, e.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("tree %v: %s, want %s", tree, got, want)
		}
		if problems, err := log.Problems(bg, true); len(problems) > 0 || err != nil {
			t.Errorf("tree %v: %v, %v", tree, problems, err)
		}
	}
}

// shortWriter fails after some bytes.
type shortWriter int

var errFull = errors.New("the disk is full")

func (w *shortWriter) Write(p []byte) (int, error) {
	if *w -= shortWriter(len(p)); *w < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWritersReportWhatFails(t *testing.T) {
	s := visit(t)
	add(t, s, say(message.RoleUser, message.Text{Text: strings.Repeat("x", 1<<18)}))
	v := viewOf(t, s, nil)
	for _, room := range []int{0, 100_000} {
		for name, err := range map[string]error{
			"html":     HTML(bg, s.Log(), []*timeline.View{v}, ptr(shortWriter(room)), HTMLOptions{}),
			"markdown": Markdown(bg, s.Log(), v, ptr(shortWriter(room)), MarkdownOptions{}),
			"jsonl":    JSONL(bg, s.Log(), nil, s.Log().Header(), ptr(shortWriter(room)), JSONLOptions{Tree: true}),
		} {
			if !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d bytes: %v", name, room, err)
			}
		}
	}
}

func ptr[T any](v T) *T { return &v }

// Every history can be written in every format: each entry once in the page,
// each view's messages by their entries, and nothing that leaves its element.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSession(t)
		d := history.New(t, s)
		d.Turns(rapid.IntRange(0, 4).Draw(t, "turns"))
		d.Marks(rapid.IntRange(0, 4).Draw(t, "marks"))
		v := viewOf(t, s, nil)
		page := htmlOf(t, s.Log(), HTMLOptions{}, v)
		if n := strings.Count(page, "</script>"); n != 3 {
			t.Fatalf("%d script elements end", n)
		}
		x := indexOf(t, page)
		i := 0
		for e := range s.Log().All(bg) {
			if x.Heads[i].ID != e.ID || int(x.Heads[i].Up) >= i {
				t.Fatalf("entry %d is %+v, in the log %s", i, x.Heads[i], e.ID)
			}
			i++
		}
		if n := strings.Count(dataOf(t, page, "entries"), "\n"); i > 0 && n != i-1 || len(x.Heads) != i {
			t.Fatalf("%d heads, %d line breaks, %d entries", len(x.Heads), n, i)
		}
		if v.Leaf != nil {
			for k, it := range x.Views[0].Items {
				if e := v.Items[k].Entry; e != nil && (it.Entry < 0 || x.Heads[it.Entry].ID != e.ID) || e == nil && (it.Entry >= 0 || it.Why == "") {
					t.Fatalf("item %d is %+v", k, it)
				}
			}
		}
		markdownOf(t, s.Log(), v, MarkdownOptions{})
		markdownOf(t, s.Log(), v, MarkdownOptions{Seen: true})
	})
}
