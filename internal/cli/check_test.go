package cli

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/dialects"
)

// Of many texts only the starts are rendered, and the size of the whole is
// still exact.
func TestStubTexts(t *testing.T) {
	long := strings.Repeat("a \"quoted\"\tline\n", 1<<10)
	var req timeline.Request
	for range manyTexts/len(long) + 1 {
		req.Messages = append(req.Messages, message.User("go on"),
			&message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: []message.Block{message.Text{Text: long}}})
	}
	stubbed, saved := stubTexts(req)
	if got := req.Messages[1].Text(""); got != long {
		t.Fatal("the request was changed")
	}
	if got := stubbed.Messages[1].Text(""); len(got) > longPart/16 || !strings.HasPrefix(long, got) {
		t.Errorf("a stub has %d bytes", len(got))
	}
	d := dialects.All()[0]
	size := func(req timeline.Request) int {
		body, err := d.Render(req, message.Model{}, message.CallOptions{ContentOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		return len(body)
	}
	if whole, small := size(req), size(stubbed); small+saved != whole || small > whole/20 {
		t.Errorf("%d bytes and %d saved, want %d", small, saved, whole)
	}
	few, saved := stubTexts(timeline.Request{Messages: req.Messages[:2]})
	if saved != 0 || few.Messages[1].Text("") != long {
		t.Errorf("a short request was cut by %d bytes", saved)
	}
}
