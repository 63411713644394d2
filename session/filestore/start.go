package filestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
)

// start looks at the head of the file and decides how to read it: from its end
// if the first line is a header of a format with ids, and whole otherwise. It
// may be called again when the file has grown.
func (l *openLog) start(ctx context.Context) error {
	defer l.show()
	info, err := l.file.Stat()
	if err != nil {
		return l.wrap(err)
	}
	l.end, l.notes = info.Size(), nil
	if err := l.lookAtTail(); err != nil {
		return err
	}
	head, err := l.firstLine()
	if err != nil {
		return l.wrap(err)
	}
	h, ok := parseHeader(head)
	if !ok || h.Version < 2 {
		return l.startWhole(ctx)
	}
	l.header = h
	l.x = newIndex(l.end, h)
	l.noteVersion()
	return nil
}

// startWhole reads a file that cannot be read from its end.
func (l *openLog) startWhole(ctx context.Context) error {
	first, err := l.firstRecord(ctx)
	if err != nil {
		return l.wrap(err)
	}
	if first == nil {
		return fmt.Errorf("%s: %w", l.path, session.ErrNotASession)
	}
	h, ok := session.Header{}, false
	if first.isHeader() {
		raw, err := l.read(first)
		if err != nil {
			return l.wrap(err)
		}
		h, ok = parseHeader(raw)
	}
	l.header, l.readOnly = h, !ok
	l.x = newIndex(l.end, h)
	if !ok {
		l.notes = append(l.notes, session.Problem{Kind: kinds.ProblemMissingHeader,
			Detail: "the file has no session header; it can be read but not written to"})
	}
	l.noteVersion()
	if err := l.readWhole(ctx); err != nil {
		return err
	}
	if !ok && l.x.entryBefore(len(l.x.recs)) < 0 {
		return fmt.Errorf("%s: %w", l.path, session.ErrNotASession)
	}
	return nil
}

// firstRecord finds the first record of the file, or nil.
func (l *openLog) firstRecord(ctx context.Context) (first *record, err error) {
	all := newScanners(func() *session.Reader { return nil })
	err = all.stream(ctx, l.file, 0, l.end, segment, func(s stretch) error {
		if len(s.recs) == 0 {
			return nil
		}
		first = &s.recs[0]
		return errStop
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return first, err
}

func (l *openLog) noteVersion() {
	if v := l.header.Version; v > session.Version {
		l.notes = append(l.notes, session.Problem{Kind: kinds.ProblemNewerVersion, Line: 1,
			Detail: fmt.Sprintf("written in format %d, newer than %d; only the known parts are read", v, session.Version)})
	}
}

// firstLine returns the line that should be the header: the first one without
// a byte-order mark, or the one after a title.
func (l *openLog) firstLine() ([]byte, error) {
	for n := int64(4 << 10); ; n *= 4 {
		data, err := readInto(l.file, nil, 0, min(n, l.end))
		if err != nil {
			return nil, err
		}
		data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if h, ok := lines.ScanHead(line); whole && ok && isTitle(h) {
			line, _, whole = bytes.Cut(rest, []byte("\n"))
		}
		if whole || n >= l.end {
			return line, nil
		}
	}
}

func parseHeader(line []byte) (session.Header, bool) {
	line = bytes.TrimSpace(line)
	if !rawjson.Valid(line) {
		return session.Header{}, false
	}
	return session.ParseHeader(bytes.Clone(line))
}

// lookAtTail finds out whether the last line is complete.
func (l *openLog) lookAtTail() error {
	l.open = false
	if l.end == 0 {
		return nil
	}
	for size := int64(4 << 10); ; size *= 4 {
		from := max(l.end-size, 0)
		data, err := readInto(l.file, nil, from, l.end)
		if err != nil {
			return l.wrap(err)
		}
		if data[len(data)-1] == '\n' {
			return nil
		}
		if i := bytes.LastIndexByte(data, '\n'); i >= 0 || from == 0 {
			l.open, l.openAt = true, from+int64(i)+1
			return nil
		}
	}
}
