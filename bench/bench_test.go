package bench

import (
	"context"
	"github.com/coppice-dev/coppice/ledger"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
	"github.com/coppice-dev/coppice/wire/dialects"
)

// sample is a session that no longer fits its window (examples/README.md).
const sample = "../examples/sample-session.jsonl"

var model = message.Model{Window: 128_000, Images: true}

// openSample opens the sample session for reading.
func openSample(tb testing.TB) *session.Session {
	tb.Helper()
	log, err := filestore.New("..", filestore.Options{}).Open(context.Background(), sample, session.Mode{})
	if err != nil {
		tb.Fatal(err)
	}
	s := session.New(log, session.Options{})
	tb.Cleanup(func() { s.Close() })
	return s
}

func project(tb testing.TB, s *session.Session) *timeline.View {
	tb.Helper()
	settings := compaction.Settings{}
	v, err := timeline.Project(context.Background(), s, nil, timeline.Policy{Target: settings.Threshold(model.Window)})
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func plan(tb testing.TB, v *timeline.View) *compaction.Plan {
	tb.Helper()
	p, err := compaction.MakePlan(compaction.PlanInput{View: v, Settings: compaction.Settings{}, Model: model})
	if err != nil || p.Skip != "" {
		tb.Fatal(err, p.Skip)
	}
	return p
}

// From a closed file to what the model sees.
func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		log, err := filestore.New("..", filestore.Options{}).Open(context.Background(), sample, session.Mode{})
		if err != nil {
			b.Fatal(err)
		}
		s := session.New(log, session.Options{})
		project(b, s)
		s.Close()
	}
}

// What the model sees of a log that is already decoded, as before each call.
func BenchmarkProject(b *testing.B) {
	s := openSample(b)
	b.ReportAllocs()
	for b.Loop() {
		project(b, s)
	}
}

func BenchmarkPlan(b *testing.B) {
	v := project(b, openSample(b))
	b.ReportAllocs()
	for b.Loop() {
		plan(b, v)
	}
}

func BenchmarkRender(b *testing.B) {
	v := project(b, openSample(b))
	for _, d := range dialects.All() {
		b.Run(d.Name(), func(b *testing.B) {
			var body []byte
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if body, err = d.Render(must.Get(v.Request(true)), model, message.CallOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(len(body)))
		})
	}
}

// covered returns what the sample's compaction covers.
func covered(b *testing.B) (in summarize.Input) {
	history, prefix, err := plan(b, project(b, openSample(b))).Messages()
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range history {
		in.History = append(in.History, ledger.Source{Message: m})
	}
	for _, m := range prefix {
		in.Prefix = append(in.Prefix, ledger.Source{Message: m})
	}
	return in
}

// What is true at the end of the covered part.
func BenchmarkFold(b *testing.B) {
	in := covered(b)
	all := slices.Concat(in.History, in.Prefix)
	b.ReportAllocs()
	for b.Loop() {
		state.Fold(all, state.Options{})
	}
}

// The summary that needs no model, and the state that it is made of.
func BenchmarkExtract(b *testing.B) {
	in := covered(b)
	in.Estimate = tokens.Default{}.Text
	b.ReportAllocs()
	for b.Loop() {
		summarize.Extract(in)
	}
}

func BenchmarkEstimate(b *testing.B) {
	for _, script := range []struct{ name, text string }{
		{"latin", strings.Repeat("the quick brown fox; ", 5000)},
		{"han", strings.Repeat("会话压缩", 5000)},
	} {
		b.Run(script.name, func(b *testing.B) {
			b.SetBytes(int64(len(script.text)))
			for b.Loop() {
				tokens.Default{}.Text(script.text)
			}
		})
	}
}
