package mcp

import (
	"bytes"
	"io"
	"sync"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/go-json-experiment/json/jsontext"
)

// maxRecorded bounds how much of the answers is kept while tools are listed.
const maxRecorded = 64 << 20

// recorder keeps what a server writes while its tools are listed. The library
// decodes schemas into maps, which lose the order of names and the digits of
// large numbers; the prompt should have the server's own bytes.
type recorder struct {
	mu   sync.Mutex
	on   bool
	size int
	said map[*tee][]byte
}

func (r *recorder) start() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on, r.size, r.said = true, 0, map[*tee][]byte{}
}

// stop returns the schemas that were written since start, by tool name.
func (r *recorder) stop() map[string]jsontext.Value {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]jsontext.Value{}
	for _, data := range r.said {
		collectSchemas(data, out)
	}
	r.on, r.said = false, nil
	return out
}

func (r *recorder) tee(in io.ReadCloser) io.ReadCloser { return &tee{ReadCloser: in, to: r} }

// tee is a stream that also writes to the recorder.
type tee struct {
	io.ReadCloser
	to *recorder
}

// Read reads from the stream.
func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.to.mu.Lock()
	defer t.to.mu.Unlock()
	if t.to.on && t.to.size+n <= maxRecorded {
		t.to.size += n
		t.to.said[t] = append(t.to.said[t], p[:n]...)
	}
	return n, err
}

// collectSchemas finds the schemas in answers to tools/list: one message, one
// on each line, or server-sent events.
func collectSchemas(data []byte, into map[string]jsontext.Value) {
	if rawjson.Valid(data) {
		fromAnswer(data, into)
		return
	}
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("data:")))
		if rawjson.Valid(line) {
			fromAnswer(line, into)
		}
	}
}

func fromAnswer(answer []byte, into map[string]jsontext.Value) {
	for t := range rawjson.Elements(rawjson.Get(rawjson.Get(answer, "result"), "tools")) {
		if schema := rawjson.Get(t, "inputSchema"); rawjson.Kind(schema) == '{' {
			into[rawjson.String(rawjson.Get(t, "name"))] = bytes.Clone(schema)
		}
	}
}
