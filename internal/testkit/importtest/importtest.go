// Package importtest helps to test importers: it imports into a session, prints
// the result, and checks that the session is sound.
package importtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/testkit/history"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/dialects"
	"github.com/google/go-cmp/cmp"
)

// Source is a file in memory.
type Source struct {
	convert.Source
	data []byte
}

// Bytes is a source whose file contains data.
func Bytes(path string, data []byte) Source {
	return Source{data: data, Source: convert.Source{Path: path, Size: int64(len(data)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}}
}

// head is the part that Recognizes sees.
func (s Source) head() []byte { return s.data[:min(len(s.data), 64<<10)] }

// File is a source of a file on disk.
func File(t testing.TB, path string) Source {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Bytes(path, data)
}

// Result is an imported session.
type Result struct {
	Session *session.Session
	Counts  convert.Counts
	Skipped map[string]int
}

// now is the time of entries without one.
func now() time.Time { return time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) }

// Import imports into a session file, closes the file and opens it again, so that
// the test sees what was written.
func Import(t testing.TB, im convert.Importer, src Source) Result {
	t.Helper()
	ctx := t.Context()
	h, err := im.Describe(ctx, src.Source)
	if err != nil {
		t.Fatal(err)
	}
	store := filestore.New(t.TempDir(), filestore.Options{Sync: filestore.SyncOff})
	log, err := store.Create(ctx, h)
	if err != nil {
		t.Fatal(err)
	}
	sink := convert.NewSink(session.New(log, session.Options{Now: now}))
	if err := im.Import(ctx, src.Source, sink); err != nil {
		t.Fatal(err)
	}
	counts, skipped := sink.Counts()
	ref := log.Ref()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	r := Result{Counts: counts, Skipped: skipped}
	if log, err = store.Open(ctx, ref, session.Mode{Write: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	r.Session = session.New(log, session.Options{})
	if problems, err := log.Problems(ctx, true); err != nil || len(problems) > 0 {
		t.Fatalf("the session file has problems: %v %v", problems, err)
	}
	return r
}

// Golden imports each of the given files of testdata and compares the entries
// with those in the file of the same name that ends in .want.
func Golden(t *testing.T, im convert.Importer, want map[string]Result) {
	t.Helper()
	for name, w := range want {
		t.Run(name, func(t *testing.T) {
			file := fixture(t, name)
			src := File(t, file)
			if head := src.head(); !im.Recognizes(file, head) {
				t.Error("the file is not recognized")
			}
			r := Import(t, im, src)
			entries, err := os.ReadFile(filepath.Join("testdata", name+".want"))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.Split(strings.TrimSuffix(string(entries), "\n"), "\n"), Lines(t, r.Session)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(w.Counts, r.Counts); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(w.Skipped, r.Skipped); d != "" {
				t.Error(d)
			}
			Check(t, r.Session, false)
		})
	}
}

// fixture finds the file of testdata with a name, .json or .jsonl.
func fixture(t testing.TB, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", name+".json*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: not one file but %v (%v)", name, files, err)
	}
	return files[0]
}

// Fuzz imports any input and checks that the result is a session whose entries
// are all accounted for.
func Fuzz(f *testing.F, im convert.Importer) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.json*"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds (%v)", err)
	}
	for _, file := range files {
		f.Add(File(f, file).data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		src := Bytes("x.jsonl", data)
		im.Recognizes(src.Path, data)
		h, err := im.Describe(t.Context(), src.Source)
		if err != nil {
			h = session.Header{}
		}
		log, err := memstore.New(nil).Create(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		s := session.New(log, session.Options{})
		sink := convert.NewSink(s)
		if err := im.Import(t.Context(), src.Source, sink); err != nil && !errors.Is(err, convert.ErrNotOurs) {
			t.Fatal(err)
		}
		if err := sink.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		var entries, bearing int
		for e, err := range log.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			entries++
			if thread.IsMessage(e) {
				bearing++
			}
		}
		if counts, _ := sink.Counts(); counts.Messages != bearing {
			t.Errorf("%d messages were counted, %d of %d entries bear one", counts.Messages, bearing, entries)
		}
		checkAccount(t, engine(t, log))
	})
}

// Lines prints the entries of a session, one a line, without what differs from
// run to run: ids are numbers, and a parent is printed only if it is not the line
// before.
func Lines(t testing.TB, s *session.Session) []string {
	t.Helper()
	number := map[string]string{"": "root"}
	var lines []string
	last := ""
	for e, err := range s.Log().All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n := fmt.Sprint(len(lines) + 1)
		line := n + " "
		if e.ParentID != last {
			line += "under " + number[e.ParentID] + " "
		}
		number[e.ID], last = n, e.ID
		body := string(must.Get(e.Raw())[bytes.Index(must.Get(e.Raw()), []byte(`"timestamp":`))+len(`"timestamp":"`):])
		body = body[:strings.IndexByte(body, '"')] + " " + strings.TrimPrefix(body[strings.IndexByte(body, '"')+1:], ",")
		for id, n := range number {
			if id != "" {
				body = strings.ReplaceAll(body, id, "#"+n)
			}
		}
		lines = append(lines, line+string(e.Type)+" "+body)
	}
	return lines
}

// Check checks what every imported session must satisfy: every entry is accounted
// for, the rendered view is valid for every vendor, and it compacts without a
// model, after which the same is true and it can be written in every form.
// compacts says that the session is long enough for a compaction to help.
func Check(t testing.TB, imported *session.Session, compacts bool) {
	t.Helper()
	s := engine(t, imported.Log())
	checkView(t, s)
	keep := int64(2000)
	out, err := s.Compact(t.Context(), compaction.Request{Keep: &keep})
	if err != nil {
		t.Fatal(err)
	}
	if compacts && out.Status != compaction.Applied {
		t.Fatalf("compaction: %s (%s): %s", out.Status, out.Reason, out.Detail)
	}
	checkView(t, s)
	checkExports(t, s)
}

// engine is a log for a model with a usual window.
func engine(t testing.TB, log session.Log) *coppice.Session {
	t.Helper()
	s, err := coppice.New(log, coppice.Options{Facts: message.Model{Window: 200_000, MaxOutput: 8192}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func checkView(t testing.TB, s *coppice.Session) {
	t.Helper()
	req := must.Get(checkAccount(t, s).Request(false))
	if err := history.Pairing(req.Messages); err != nil {
		t.Error(err)
	}
	for _, d := range dialects.All() {
		body, err := d.Render(req, message.Model{}, message.CallOptions{})
		if err != nil {
			t.Fatalf("%s: %v", d.Name(), err)
		}
		for _, p := range d.Validate(body, message.Model{}, true) {
			t.Errorf("%s: %s at %s: %s", d.Name(), p.Kind, p.Where, p.Detail)
		}
	}
}

// checkAccount checks invariant I1 and returns the view.
func checkAccount(t testing.TB, s *coppice.Session) *timeline.View {
	t.Helper()
	v, err := s.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path, err := s.Path(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := history.Account(path, v); err != nil {
		t.Error(err)
	}
	return v
}
