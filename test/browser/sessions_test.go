package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/export"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
)

func empty(t *testing.T) *session.Session {
	t.Helper()
	log, err := memstore.New(nil).Create(t.Context(), session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	return session.New(log, session.Options{})
}

func add(t *testing.T, s *session.Session, drafts ...session.Draft) []*session.Entry {
	t.Helper()
	entries, err := s.Append(t.Context(), drafts...)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func user(content ...message.Block) session.Draft {
	return session.MessageDraft(&message.Message{Role: message.RoleUser, Content: content})
}

func assistant(content ...message.Block) session.Draft {
	return session.MessageDraft(&message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: content})
}

func text(s string) message.Block { return message.Text{Text: s} }

func result(id, tool string, content ...message.Block) session.Draft {
	return session.MessageDraft(&message.Message{Role: message.RoleToolResult, ToolCallID: id, ToolName: tool, Content: content})
}

// pixel is a PNG of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

// branched has two branches, tools, an image, a label and bookkeeping: of 12
// entries the default filter shows 9.
func branched(t *testing.T) *session.Session {
	t.Helper()
	s := empty(t)
	var output strings.Builder
	for i := range 100 {
		fmt.Fprintf(&output, "line %d", i)
		if i == 77 {
			output.WriteString(" with the needle")
		}
		output.WriteByte('\n')
	}
	first := add(t, s, session.ModelDraft("anthropic", "claude-sonnet-4-5"),
		user(text("first question"), message.Image{Data: pixel, MIMEType: "image/png"}),
		assistant(message.Thinking{Thinking: "I had better look."}, message.ToolCall{ID: "c1", Name: "bash", Arguments: []byte(`{"command":"make","timeout":30}`)}),
		result("c1", "bash", text(output.String())),
		assistant(text("It does not build.")))
	other := add(t, s, user(text("the other idea")), assistant(text("A dead end.")))
	if err := s.CommitFrom(t.Context(), other[1], s.Prepare(first[4], user(text("second question")))); err != nil {
		t.Fatal(err)
	}
	read := add(t, s, assistant(message.ToolCall{ID: "c2", Name: "read", Arguments: []byte(`{"path":"Makefile"}`)}),
		result("c2", "read", text("all:\n\tgo build")), assistant(text("There is no target for it.")))
	if _, err := s.SetLabel(t.Context(), read[2].ID, "the finding"); err != nil {
		t.Fatal(err)
	}
	return s
}

// compacted keeps the last two of six messages.
func compacted(t *testing.T) *session.Session {
	t.Helper()
	s := empty(t)
	e := add(t, s, user(text("tell me about apples")), assistant(text("They grow on trees.")), user(text("more")), assistant(text("Some are red.")),
		user(text("and pears?")), assistant(text("They do, too.")))
	add(t, s, session.CompactionDraft(&session.Compaction{Summary: "what was said about apples", FirstKeptEntryID: e[4].ID, TokensBefore: 1234}))
	return s
}

// hostileTexts try to break out of their element.
func hostileTexts() []string {
	return []string{
		`</script><script>window.pwned = 1; alert(1)</script>`,
		`<img src=x onerror="window.pwned = 1"><svg onload="alert(1)">`,
		`"><iframe src="https://example.org/"></iframe><!--<script>`,
		`{{.Title}} ${window.pwned = 1} <a href="javascript:alert(1)">x</a>`,
		"\u202Egnp.exe\u202C \u2066isolated\u2069 مرحبا بالعالم שלום",
		"👩‍👩‍👧‍👦🏳️‍🌈 \u2028 \u2029 \u0000 e\u0301",
		"\x1b[31mred\x1b[0m \x07",
	}
}

// hostile says all of that as a user, a model and a tool, and more where only
// the page's own words should be.
func hostile(t *testing.T) *session.Session {
	t.Helper()
	s := empty(t)
	add(t, s, session.NameDraft(`</title></script><script>alert("name")</script>`))
	for _, h := range hostileTexts() {
		add(t, s, user(text(h)))
	}
	add(t, s, assistant(text("calls"), message.ToolCall{ID: "c", Name: `<b onclick="alert(1)">bash</b>`, Arguments: []byte(`{"</script><script>alert(2)</script>":"onerror"}`)}),
		result("c", `</script><script>alert(3)</script>`, text(strings.Repeat("x", 1<<20)),
			message.Image{Data: "PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+", MIMEType: "image/svg+xml"},
			message.Image{Data: `" onerror="alert(4)`, MIMEType: `image/png`},
			message.Image{Data: "PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==", MIMEType: `text/html`}))
	e := add(t, s, session.Draft{Type: `</script><script>alert(5)</script>`, ID: `"><script>alert(6)</script>`, Body: []byte(`{"x":"<script>alert(7)</script>"}`)})
	if _, err := s.SetLabel(t.Context(), e[0].ID, `<script>alert(8)</script>`); err != nil {
		t.Fatal(err)
	}
	return s
}

// long is a session of n messages.
func long(t *testing.T, n int) *session.Session {
	t.Helper()
	s := empty(t)
	drafts := make([]session.Draft, n)
	for i := range drafts {
		m := text(fmt.Sprintf("message %d word%d %s", i, i, strings.Repeat("with some more words in it ", i%40)))
		if drafts[i] = user(m); i%2 == 1 {
			drafts[i] = assistant(m)
		}
	}
	add(t, s, drafts...)
	return s
}

// exportPage writes the page of a session to disk.
func exportPage(t *testing.T, s *session.Session) string {
	t.Helper()
	v, err := timeline.Project(t.Context(), s, nil, timeline.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	title := "A session"
	for e := range s.Log().All(t.Context()) {
		if name, ok := e.Name(); ok {
			title = name
		}
	}
	file := filepath.Join(t.TempDir(), "session.html")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := export.HTML(t.Context(), s.Log(), []*timeline.View{v}, f, export.HTMLOptions{Title: title}); err != nil {
		t.Fatal(err)
	}
	return file
}

// entryID is the id of the entry whose text starts with a prefix.
func entryID(t *testing.T, s *session.Session, begins string) string {
	t.Helper()
	for e := range s.Log().All(t.Context()) {
		if m := must.Get(e.Message()); m != nil && strings.HasPrefix(m.Text(""), begins) {
			return e.ID
		}
	}
	t.Fatalf("no one says %q", begins)
	return ""
}

func jsQuote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string
	}
	return string(b)
}
