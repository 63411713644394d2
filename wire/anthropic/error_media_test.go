package anthropic

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/wiretest"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// A failed result may have only text: its image follows after all results.
func TestRenderMediaOfFailedResults(t *testing.T) {
	failed := func(id string, content ...message.Block) *message.Message {
		r := wiretest.Result(id, content...)
		r.IsError = true
		return r
	}
	req := timeline.Request{Messages: []*message.Message{wiretest.User(wiretest.Text("go")),
		wiretest.Assistant(wiretest.Call("a", `{}`), wiretest.Call("b", `{}`)),
		failed("a", wiretest.Text("timed out"), wiretest.PNG()), failed("b", wiretest.PNG()), wiretest.User(wiretest.Text("on"))}}
	body, err := Dialect.Render(req, message.Model{}, message.CallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wiretest.Check(t, Dialect, body, message.Model{})
	const png = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}`
	want := `{"role":"user","content":[` +
		`{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"timed out"}],"is_error":true},` +
		`{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"` + mediaFollows + `"}],"is_error":true},` +
		png + `,` + png + `,{"type":"text","text":"on"}]}]}`
	if !strings.HasSuffix(string(body), want) {
		t.Errorf("got  %s\nwant …%s", body, want)
	}
}
