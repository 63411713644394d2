// Package pi imports sessions of pi and its relatives, whose files have our
// format: pi v1 to v3, oh-my-pi, OpenClaw, and Coppice itself. Entries are
// copied unchanged, with their ids and with the agents' own types; only what
// version 3 writes differently is translated.
package pi

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
)

// Importer reads session files.
var Importer convert.Importer = importer{}

type importer struct{}

// Name returns "pi".
func (importer) Name() string { return "pi" }

// frontLines is how many lines may come before the header: oh-my-pi keeps the
// session's title there.
const frontLines = 2

// Recognizes reports whether a file begins with a session header.
func (importer) Recognizes(_ string, head []byte) bool {
	_, ok, _ := findHeader(bufio.NewReader(bytes.NewReader(head)))
	return ok
}

// findHeader looks for the header in the first lines.
func findHeader(in *bufio.Reader) (session.Header, bool, error) {
	for range frontLines {
		line, err := in.ReadBytes('\n')
		line = bytes.TrimPrefix(line, byteOrderMark)
		for _, rec := range lines.Split(line).Records {
			if h, ok := session.ParseHeader(line[rec.Start:rec.End]); ok {
				return h, true, nil
			}
		}
		if err != nil {
			return session.Header{}, false, notEOF(err)
		}
	}
	return session.Header{}, false, nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Describe reads the header. The new session names the file as its parent. A
// file without a header gives nothing.
func (importer) Describe(_ context.Context, src convert.Source) (session.Header, error) {
	f, err := src.Open()
	if err != nil {
		return session.Header{}, err
	}
	defer f.Close()
	h, ok, err := findHeader(bufio.NewReader(f))
	if err != nil {
		return session.Header{}, err
	}
	if !ok {
		return session.Header{ParentSession: src.Path}, src.Only("")
	}
	return session.Header{ID: scribe.SessionID(h.ID), Time: h.Time, Cwd: h.Cwd, ParentSession: src.Path}, src.Only(h.ID)
}

// Import copies the entries.
func (importer) Import(ctx context.Context, src convert.Source, to *convert.Sink) error {
	f, err := src.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	r := newReader(to, newBlobs(src.Path))
	in, read := bufio.NewReaderSize(f, 256<<10), int64(0)
	for err == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		var line []byte
		if line, err = in.ReadBytes('\n'); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if read == 0 {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		read += int64(len(line))
		if err := r.line(ctx, line); err != nil {
			return err
		}
		to.Read(read)
	}
	if !r.any {
		return convert.ErrNotOurs
	}
	return r.end(ctx)
}

func str(obj []byte, name string) string { return rawjson.String(rawjson.Get(obj, name)) }
