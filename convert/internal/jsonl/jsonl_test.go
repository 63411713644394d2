package jsonl

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/google/go-cmp/cmp"
)

func source(r io.Reader) convert.Source {
	return convert.Source{Path: "x.jsonl", Open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
}

func collect(t testing.TB, r io.Reader) (objects []string, lost []string, err error) {
	t.Helper()
	o := Options{Starts: []string{`{"at":`}, Skip: func(kind string) { lost = append(lost, kind) }}
	for obj, e := range Objects(t.Context(), source(r), o) {
		if e != nil {
			return objects, lost, e
		}
		objects = append(objects, string(obj))
	}
	return objects, lost, nil
}

func TestObjects(t *testing.T) {
	const a, b = `{"at":1,"type":"a"}`, `{"at":2,"type":"b"}`
	long := `{"at":3,"type":"` + strings.Repeat("x", 200<<10) + `"}`
	tests := []struct {
		name, file string
		objects    []string
		lost       []string
	}{
		{"nothing", "", nil, nil},
		{"lines", a + "\n" + b + "\n", []string{a, b}, nil},
		{"no last LF, CRLF, blank lines", a + "\r\n\n  \n" + b, []string{a, b}, nil},
		{"byte-order mark", "\xef\xbb\xbf" + a + "\n", []string{a}, nil},
		{"joined", a + b + " " + a + "\n", []string{a, b, a}, nil},
		{"longer than the buffer", long + "\n" + a, []string{long, a}, nil},
		{"torn, whole ones after it", `{"at":1,"type":"a","m":{"type":"x"},"te` + b + a + "\n" + a, []string{b, a, a}, []string{KindDamaged}},
		{"torn twice", `{"at":1,"ty{"at":1,"ty` + a, []string{a}, []string{KindDamaged, KindDamaged}},
		{"cut off", a + "\n" + b[:9], []string{a}, []string{KindDamaged}},
		{"no objects", "7\n[" + a + "]\nnull\n{}\n\x00\x00", nil,
			[]string{KindDamaged, KindDamaged, KindDamaged, KindDamaged, KindDamaged}},
	}
	for _, tt := range tests {
		for _, r := range []io.Reader{strings.NewReader(tt.file), iotest.OneByteReader(strings.NewReader(tt.file))} {
			objects, lost, err := collect(t, r)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.objects, objects); d != "" {
				t.Errorf("%s: %s", tt.name, d)
			}
			if d := cmp.Diff(tt.lost, lost); d != "" {
				t.Errorf("%s: lost: %s", tt.name, d)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("the disk is gone")
	objects, _, err := collect(t, io.MultiReader(strings.NewReader(`{"type":"a"}`+"\n"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || len(objects) != 1 {
		t.Errorf("got %v, %v", objects, err)
	}
	src := convert.Source{Path: "x", Open: func() (io.ReadCloser, error) { return nil, broken }}
	for _, err := range Objects(t.Context(), src, Options{}) {
		if !errors.Is(err, broken) {
			t.Errorf("open: got %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range Objects(ctx, source(strings.NewReader(`{"type":"a"}`)), Options{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: got %v", err)
		}
	}
}

// Progress grows to the size of the file, within a line too.
func TestProgress(t *testing.T) {
	file := strings.Repeat(" ", 2*progressStep) + "\n" + `{"type":"a"}`
	var reports []int64
	for _, err := range Objects(t.Context(), source(strings.NewReader(file)), Options{Read: func(n int64) { reports = append(reports, n) }}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(reports) < 3 || reports[len(reports)-1] != int64(len(file)) {
		t.Errorf("got %v of %d", reports, len(file))
	}
	for i := 1; i < len(reports); i++ {
		if reports[i] < reports[i-1] {
			t.Errorf("progress goes back: %v", reports)
		}
	}
}

func TestHead(t *testing.T) {
	var lines []string
	for l := range Head([]byte("\xef\xbb\xbf\n{\"a\":1}\n \n{\"b\":")) {
		lines = append(lines, string(l))
	}
	if d := cmp.Diff([]string{"{\"a\":1}\n", `{"b":`}, lines); d != "" {
		t.Error(d)
	}
}

func FuzzObjects(f *testing.F) {
	f.Add([]byte(`{"at":1,"type":"a"}{"at":1,"type":"b"}` + "\n" + `{"at":1,"ty{"at":1,"type":"c"}`))
	f.Add([]byte("\xef\xbb\xbf{\"type\":\"\xff\"}\r\n\x00[1] 2\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		objects, _, err := collect(t, bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			if !rawjson.Valid([]byte(o)) || rawjson.Kind([]byte(o)) != '{' {
				t.Fatalf("not an object: %q", o)
			}
		}
		for l := range Head(data) {
			for range rawjson.Fields(l) {
			}
		}
	})
}
