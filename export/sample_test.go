package export

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
)

// The sample session, by its shape: who speaks how often, and that everything
// that was said can be found.
func TestSampleSession(t *testing.T) {
	file, err := filepath.Abs(filepath.Join("..", "examples", "sample-session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	log, err := filestore.New(filepath.Dir(file), filestore.Options{}).Open(bg, file, session.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s := session.New(log, session.Options{})
	path, err := s.Path(bg, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := viewOf(t, s, nil)
	md := markdownOf(t, log, v, MarkdownOptions{})
	want := map[string]int{}
	for _, e := range path {
		m := must.Get(e.Message())
		if m == nil {
			continue
		}
		want[strings.Fields(roleTitle(m))[0]]++
		for _, p := range messageParts(m) {
			if p.Kind == partOutput && !strings.Contains(md, strings.TrimSuffix(p.Text, "\n")) {
				t.Errorf("output of %s is not in the Markdown", e.ID)
			}
		}
	}
	got := map[string]int{}
	for _, h := range regexp.MustCompile("(?m)^## ([A-Z][a-z]+) .*`en:[0-9a-f]+`.*$").FindAllStringSubmatch(md, -1) {
		got[h[1]]++
	}
	for who, n := range want {
		if got[who] != n {
			t.Errorf("%s speaks %d times in the Markdown, want %d", who, got[who], n)
		}
	}
	x := indexOf(t, htmlOf(t, log, HTMLOptions{}, v))
	roles, labels := map[message.Role]int{}, 0
	for _, h := range x.Heads {
		roles[h.Role]++
		if h.Label != "" {
			labels++
		}
	}
	if len(x.Heads) != 248 || roles[message.RoleUser] != 12 || roles[message.RoleAssistant] != 73 || roles[message.RoleToolResult] != 156 || labels != 1 {
		t.Errorf("%d entries: %v, %d labels", len(x.Heads), roles, labels)
	}
	if len(x.Views) != 1 || len(x.Views[0].Items) != len(v.Items) || x.Leaf != x.Views[0].Leaf {
		t.Errorf("views %+v", x.Views)
	}
}
