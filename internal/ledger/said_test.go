package ledger

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/coppice-dev/coppice/message"
)

// Reading many messages at once gives what reading each gives.
func TestReadAll(t *testing.T) {
	var sources []Source
	for i := range 5*readChunk + 7 {
		m := &message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: fmt.Sprintf("Never touch file%d.go. Is it %d ms?", i, i)}}}
		switch i % 4 {
		case 1:
			m.Role = message.RoleAssistant
		case 2:
			m.Role = message.RoleToolResult
		case 3:
			m = nil
		}
		sources = append(sources, Source{Message: m})
	}
	for i, got := range readAll(sources) {
		if want := readWords(sources[i].Message); !reflect.DeepEqual(got, want) {
			t.Errorf("%d: got %+v, want %+v", i, got, want)
		}
	}
	if got := readAll(sources[:1])[0].orders; !reflect.DeepEqual(got, []string{"Never touch file0.go."}) {
		t.Errorf("got %q", got)
	}
}
