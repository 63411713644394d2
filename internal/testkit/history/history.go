// Package history draws session histories for property tests: parallel tool
// calls, interleaved, missing, late and second results, crashes in mid-turn, branches,
// compactions of other programs, images, emoji, CJK, huge results, foreign and
// unknown entries.
package history

import (
	"context"
	"fmt"
	"strings"
	"time"

	_ "github.com/coppice-dev/coppice/internal/testkit/amount" // a few histories are drawn: each has hundreds of entries
	"github.com/coppice-dev/coppice/internal/testkit/strange"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"pgregory.net/rapid"
)

// Drawer appends drawn pieces of conversation to a session.
type Drawer struct {
	T *rapid.T
	S *session.Session

	Huge    int  // words of a huge result
	Strange bool // also draws content that breaks all rules: package strange

	calls   int
	turns   int
	now     time.Time
	results []*message.Message // that may still come: late, or a second time
}

// New returns a drawer over an empty session.
func New(t *rapid.T, s *session.Session) *Drawer {
	return &Drawer{T: t, S: s, Huge: 4000, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// Turns draws n pieces: mostly turns, sometimes something odd.
func (d *Drawer) Turns(n int) {
	for range n {
		switch rapid.IntRange(0, 19).Draw(d.T, "piece") {
		case 0:
			d.bash()
		case 1:
			d.add(session.Draft{Type: session.TypeCustomMessage, Body: []byte(`{"customType":"note","content":"a note of another program","display":true}`)})
		case 2:
			d.add(session.Draft{Type: "telepathy", Body: []byte(`{"strength":11,"nested":{"a":[1,2]}}`)})
		case 3:
			d.metadata()
		case 4:
			d.Turn()
			d.branch()
		case 5:
			d.late()
		case 6:
			d.assistant(message.StopAborted) // an attempt that produced nothing
		case 7, 8, 9:
			d.unruly()
		default:
			d.Turn()
		}
	}
}

// Turn draws a user message and the work that follows.
func (d *Drawer) Turn() {
	d.turns++
	content := []message.Block{message.Text{Text: fmt.Sprintf("request %d: %s", d.turns, d.text(60))}}
	if d.oneIn(12, "user image") {
		content = append(content, image)
	}
	d.message(&message.Message{Role: message.RoleUser, Content: content})
	for range rapid.IntRange(0, 4).Draw(d.T, "rounds") {
		d.round()
	}
	if !d.oneIn(6, "unfinished") {
		d.assistant(message.StopEnd, message.Text{Text: "done: " + d.text(30)})
	}
}

var image = message.Image{Data: "iVBORw0KGgo=", MIMEType: "image/png"}

// round draws an assistant message with calls, and results in any order, some
// of them missing. A failed attempt may come after them.
func (d *Drawer) round() {
	stop := message.StopToolUse
	if d.oneIn(15, "failed") {
		stop = message.StopError
	}
	content := []message.Block{message.Thinking{Thinking: d.text(20), Signature: "sig"}, message.Text{Text: d.text(15)}}
	n := rapid.IntRange(1, 4).Draw(d.T, "calls")
	results := make([]*message.Message, n)
	for i := range n {
		d.calls++
		c := d.call()
		content = append(content, c)
		results[i] = d.result(c)
	}
	d.assistant(stop, content...)
	for _, i := range rapid.Permutation(indices(n)).Draw(d.T, "order") {
		if d.oneIn(6, "comes again") {
			d.results = append(d.results, results[i])
		}
		if d.oneIn(20, "lost result") {
			d.results = append(d.results, results[i])
			continue
		}
		if d.oneIn(25, "foreign between") {
			d.metadata()
		}
		d.message(results[i])
	}
	if d.oneIn(12, "failed after it") {
		d.assistant(message.StopError)
	}
}

// unruly draws a round of a model and tools that obey no rules, if d.Strange is
// set.
func (d *Drawer) unruly() {
	if !d.Strange {
		d.Turn()
		return
	}
	if d.oneIn(2, "strange user") {
		d.message(&message.Message{Role: message.RoleUser, Content: strange.UserContent(d.T)})
	}
	var results []*message.Message
	for range rapid.IntRange(1, 2).Draw(d.T, "strange assistants") {
		content := strange.AssistantContent(d.T)
		for i, b := range content {
			if c, ok := b.(message.ToolCall); ok && !c.Arguments.IsValid() {
				c.Arguments = []byte(`"torn"`) // a line cannot hold what is not JSON
				content[i] = c
			}
		}
		model := strange.Models.Draw(d.T, "model")
		a := &message.Message{Role: message.RoleAssistant, Content: content, StopReason: message.StopToolUse, API: "x", Provider: model[0], Model: model[1]}
		for _, c := range a.ToolCalls() {
			results = append(results, &message.Message{Role: message.RoleToolResult, ToolCallID: c.ID, ToolName: c.Name,
				IsError: rapid.Bool().Draw(d.T, "error"), Content: strange.UserContent(d.T)})
		}
		d.message(a)
	}
	for _, i := range rapid.Permutation(indices(len(results))).Draw(d.T, "order") {
		d.message(results[i])
	}
}

// late draws a result that was missing when its round ended, or that comes a
// second time. Its call may be on another branch.
func (d *Drawer) late() {
	if len(d.results) == 0 {
		d.Turn()
		return
	}
	i := rapid.IntRange(0, len(d.results)-1).Draw(d.T, "late")
	m := d.results[i].Clone()
	m.Content = []message.Block{message.Text{Text: "late: " + d.text(rapid.SampledFrom([]int{10, 1500}).Draw(d.T, "late words"))}}
	d.message(m)
}

func (d *Drawer) call() message.ToolCall {
	file := fmt.Sprintf("src/file%d.go", rapid.IntRange(0, 9).Draw(d.T, "file"))
	c := message.ToolCall{ID: fmt.Sprintf("call_%d", d.calls)}
	switch rapid.IntRange(0, 3).Draw(d.T, "tool") {
	case 0:
		c.Name, c.Arguments = "read", []byte(`{"path":"`+file+`"}`)
	case 1:
		c.Name, c.Arguments = "edit", []byte(`{"path":"`+file+`","oldText":"a","newText":"b"}`)
	case 2:
		c.Name, c.Arguments = "bash", []byte(`{"command":"go test ./... > out.txt"}`)
	default:
		c.Name, c.Arguments = "write", []byte(`{"path":"`+file+`","content":"package x\n"}`)
	}
	return c
}

func (d *Drawer) result(c message.ToolCall) *message.Message {
	words := 40
	if d.oneIn(10, "huge") {
		words = d.Huge
	}
	m := &message.Message{Role: message.RoleToolResult, ToolCallID: c.ID, ToolName: c.Name,
		IsError: d.oneIn(8, "error result"), Content: []message.Block{message.Text{Text: d.text(words)}}}
	if d.oneIn(20, "screenshot") {
		m.Content = append(m.Content, image)
	}
	return m
}

func (d *Drawer) bash() {
	code := rapid.IntRange(0, 2).Draw(d.T, "exit")
	d.message(&message.Message{Role: message.RoleBashExecution, Bash: &message.BashExecution{
		Command: "make", Output: d.text(30), ExitCode: &code, ExcludeFromContext: d.oneIn(3, "excluded")}})
}

func (d *Drawer) metadata() {
	switch rapid.IntRange(0, 3).Draw(d.T, "metadata") {
	case 0:
		d.add(session.ThinkingDraft("high"))
	case 1:
		d.add(session.ModelDraft("p", "m"))
	case 2:
		d.add(session.NameDraft("a name"))
	default:
		leaf := d.leaf()
		if leaf == nil {
			d.Turn()
			return
		}
		d.add(session.LabelDraft(leaf.ID, "here"))
	}
}

// branch goes back to an earlier entry, so that what follows is a branch.
func (d *Drawer) branch() {
	path, err := d.S.Path(context.Background(), nil)
	d.check(err)
	target := path[rapid.IntRange(0, len(path)-1).Draw(d.T, "branch at")]
	d.check(d.S.MoveTo(context.Background(), target))
}

func (d *Drawer) assistant(stop message.StopReason, content ...message.Block) {
	d.message(&message.Message{Role: message.RoleAssistant, API: "x", Provider: "p", Model: "m", StopReason: stop,
		Content: content, Usage: &message.Usage{}})
}

func (d *Drawer) message(m *message.Message) {
	m.Time = d.now
	d.add(session.MessageDraft(m))
}

func (d *Drawer) add(draft session.Draft) {
	_, err := d.S.Append(context.Background(), draft)
	d.check(err)
}

func (d *Drawer) leaf() *session.Entry {
	leaf, err := d.S.Leaf(context.Background())
	d.check(err)
	return leaf
}

func (d *Drawer) check(err error) {
	if err != nil {
		d.T.Fatal(err)
	}
}

func (d *Drawer) oneIn(n int, label string) bool {
	return rapid.IntRange(1, n).Draw(d.T, label) == n
}

var words = strings.Fields(`the build fails because parser returns nil 42 ms at internal/x.go:17 한국어 テスト 中文 привет 🏷️ 👩‍👩‍👧 é naïve
	</conversation> [User]: [Assistant]: </summary> must never change api.go undefined: Foo <read-files> \u2028 "quoted" ` + "`code`")

func (d *Drawer) text(n int) string {
	start := rapid.IntRange(0, len(words)-1).Draw(d.T, "words")
	out := make([]string, n)
	for i := range n {
		out[i] = words[(start+i*7)%len(words)]
	}
	return strings.Join(out, " ")
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range n {
		out[i] = i
	}
	return out
}

// Secret draws a turn whose tool output holds a key.
func (d *Drawer) Secret(key string) {
	d.message(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "look at the environment; never commit it"}}})
	d.calls++
	c := message.ToolCall{ID: fmt.Sprintf("call_%d", d.calls), Name: "bash", Arguments: []byte(`{"command":"env"}`)}
	d.assistant(message.StopToolUse, c)
	d.message(&message.Message{Role: message.RoleToolResult, ToolCallID: c.ID, ToolName: c.Name, IsError: true,
		Content: []message.Block{message.Text{Text: "AWS_ACCESS_KEY_ID=" + key + "\nError: exit status 1: " + key}}})
	d.assistant(message.StopEnd, message.Text{Text: "the key is there"})
}
