package summarize

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
)

// Images leave a stub with their path: in what a summarizer gets, and in a
// summary by code, which the next one keeps.
func TestImagesLeaveTheirPath(t *testing.T) {
	shot := message.Image{Data: strings.Repeat("AAAA", 1024), MIMEType: "image/png"}
	photo := message.Image{Data: strings.Repeat("AAAA", 2048), MIMEType: "image/jpeg"}
	made := result("screenshot", "taken", false)
	made.Content = append(made.Content, photo)
	history := sources(user(text("See this:"), shot), assistant(text("I see a quay.")), made, assistant(text("Done.")))
	m := newModel(100_000, always("ok"))
	mustSummarize(t, ladder(m), Input{History: history})
	inOrder(t, m.seen[0].prompt(), "See this:\n[image: image/png, 3 KB, at en:e0]", "[image: image/jpeg, 6 KB, at en:e2]")

	first := Extract(Input{History: history})
	second := Extract(Input{History: talk(3), PreviousSummary: first.Summary})
	split := Extract(Input{Prefix: history})
	for name, got := range map[string]string{"first": first.Summary, "second": second.Summary, "split turn": split.Summary} {
		for _, want := range []string{"- Image: image/png, 3 KB, from the user, at en:e0", "- Image: image/jpeg, 6 KB, from screenshot, at en:e2"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, got)
			}
		}
	}
	if s := SerializeConversation([]*message.Message{user(text("x"), shot)}, SerializeOptions{}); !strings.Contains(s, "[image: image/png, 3 KB]") {
		t.Errorf("without a path: %s", s)
	}
}
