package compaction_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/internal/testkit/o200k"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
)

var apis = []string{"anthropic", "openai-chat", "openai-responses", "gemini"}

// eachAPI runs a test over every wire format.
func eachAPI(t *testing.T, f func(t *testing.T, api string)) {
	for _, api := range apis {
		t.Run(api, func(t *testing.T) { f(t, api) })
	}
}

// rig is a session, the compactor over it and the server that its summarizer
// asks.
type rig struct {
	*compaction.Compactor
	t      *testing.T
	api    string
	server *fake.Server
	bound  *provider.Bound
	ladder *summarize.Ladder
	log    []byte // as it was in the beginning
}

// windows are the two sizes of a rig, in tokens: of the session's model and
// of the summarizer.
type windows struct{ session, summarizer int64 }

// newRig builds a rig with the model alone as summarizer; auto adds the rest
// of the ladder.
func newRig(t *testing.T, api string, w windows, s *session.Session, script ...fake.Step) *rig {
	t.Helper()
	server := fake.New(script...)
	t.Cleanup(server.Close)
	server.Window, server.Count = w.summarizer, o200k.Count
	r := &rig{t: t, api: api, server: server, bound: server.Bind(api), log: bytesOfLog(t, s)}
	r.bound.Client.Retry.Sleep = func(context.Context, time.Duration) error { return nil }
	r.ladder = &summarize.Ladder{Models: []summarize.Model{r.bound}, Mask: mask()}
	r.Compactor = &compaction.Compactor{Session: s, Summarizer: r.ladder, Settings: compaction.Settings{},
		Model: message.Model{Provider: "fake", ID: "fake-1", API: api, Window: w.session, MaxOutput: 8192},
		Mask:  mask()}
	return r
}

// auto lets the ladder go down to extraction.
func (r *rig) auto() *rig {
	r.ladder.Extract = true
	return r
}

// compact makes an attempt and checks what is true for each.
func (r *rig) compact(req compaction.Request) *compaction.Outcome {
	r.t.Helper()
	return r.compactIn(ctx, req)
}

// applied makes an attempt that has to be applied.
func (r *rig) applied(req compaction.Request) *compaction.Outcome {
	r.t.Helper()
	out := r.compact(req)
	if out.Status != compaction.Applied {
		r.t.Fatalf("%s %s: %s", out.Status, out.Reason, out.Detail)
	}
	return out
}

func (r *rig) compactIn(ctx context.Context, req compaction.Request) *compaction.Outcome {
	r.t.Helper()
	out, err := r.Compact(ctx, req)
	if err != nil {
		r.t.Fatal(err)
	}
	r.checkLog(out)
	r.checkRequests()
	return out
}

// checkLog: an attempt that was not applied leaves the log as it was; one
// that was adds its edits and its entry, with everything that it cost.
func (r *rig) checkLog(out *compaction.Outcome) {
	r.t.Helper()
	now := bytesOfLog(r.t, r.Session)
	if out.Status != compaction.Applied {
		if !bytes.Equal(now, r.log) {
			r.t.Errorf("%s (%s) changed the log", out.Status, out.Reason)
		}
		return
	}
	added, ok := bytes.CutPrefix(now, r.log)
	if !ok {
		r.t.Fatal("the log changed where it was")
	}
	if n := bytes.Count(added, []byte("\n")); n != len(out.Edits)+1 {
		r.t.Errorf("%d entries were added, want %d", n, len(out.Edits)+1)
	}
	r.log = now
	if strings.Contains(string(added), plantedKey) {
		r.t.Error("the planted key is in what was written")
	}
	c := out.Entry.Compaction()
	switch {
	case c.Coppice.Rung != out.Rung:
		r.t.Errorf("the entry says rung %q, the outcome %q", c.Coppice.Rung, out.Rung)
	case (c.Usage == nil) != (out.Usage == nil), c.Usage != nil && *c.Usage != *out.Usage:
		r.t.Errorf("the entry says usage %+v, the outcome %+v", c.Usage, out.Usage)
	}
}

// checkRequests looks at every request so far: valid, within the window by a
// real tokenizer, without the key, and with no tag or marker from outside.
func (r *rig) checkRequests() {
	r.t.Helper()
	for i, req := range r.server.Requests() {
		for _, p := range req.Problems {
			r.t.Errorf("request %d: %s at %s: %s", i, p.Kind, p.Where, p.Detail)
		}
		if w := r.server.Window; w > 0 && req.Tokens+req.MaxOutput > w {
			r.t.Errorf("request %d: %d tokens and %d of output in a window of %d", i, req.Tokens, req.MaxOutput, w)
		}
		r.checkText(req.Text(), req.Body)
	}
}

func (r *rig) checkText(text string, body []byte) {
	r.t.Helper()
	if bytes.Contains(body, []byte(plantedKey)) || strings.Contains(text, plantedKey) {
		r.t.Error("the planted key left the machine")
	}
	for tag, most := range map[string]int{"</conversation>": 1, "</previous-summary>": 1, "</focus>": 1, "</additional-context>": 1,
		"</summary>": 0, "<system-reminder>": 0, "<read-files>": 0, "\n[User]: delete": 0} {
		if n := strings.Count(text, tag); n > most {
			r.t.Errorf("%q is %d times in a request", tag, n)
		}
	}
}

// holds is what is true at the end of the path, as far as it was said in the
// history part that the next attempt would summarize.
func (r *rig) holds(req compaction.Request) []*state.Item {
	r.t.Helper()
	p, v, err := r.Plan(ctx, req)
	if err != nil {
		r.t.Fatal(err)
	}
	if p.Split || p.Previous != nil {
		r.t.Fatal("holds: the plan has more than a history part")
	}
	st := must.Get(compaction.State(ctx, v, state.Options{Mask: mask(), Cwd: r.Session.Log().Header().Cwd}))
	cut := len(must.Get(p.Input()).History)
	var out []*state.Item
	for _, k := range state.Kinds {
		for _, it := range st.Living(k) {
			if it.First < cut {
				out = append(out, it)
			}
		}
	}
	return out
}

// visible is what the model sees now, as text.
func (r *rig) visible() string {
	r.t.Helper()
	_, v, err := r.Plan(ctx, compaction.Request{})
	if err != nil {
		r.t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range must.Get(v.Request(true)).Messages {
		b.WriteString(m.Text("\n") + "\n")
	}
	return b.String()
}

// bytesOfLog is the whole log, a line an entry.
func bytesOfLog(t testing.TB, s *session.Session) []byte {
	t.Helper()
	var out []byte
	for e, err := range s.Log().All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, must.Get(e.Raw())...), '\n')
	}
	return out
}

// writes answers with a summary of these lines, in the sections that the
// request asks for.
func writes(lines ...string) fake.Step {
	return fake.Step{Answer: func(r fake.Request) fake.Step { return fake.Say(summaryFor(r.Text(), lines)) }}
}

func summaryFor(prompt string, lines []string) string {
	sections := []string{"Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"}
	if strings.Contains(prompt, "holds the beginning of a turn") {
		sections = []string{"Original Request", "Progress So Far", "Context Needed to Continue"}
	}
	text := ""
	for _, s := range sections {
		text += "## " + s + "\n- the work goes on\n\n"
	}
	for _, l := range lines {
		text += "- " + l + "\n"
	}
	return text + "\n<short-summary>Modules were repaired.</short-summary>"
}
