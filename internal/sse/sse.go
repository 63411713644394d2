// Package sse reads streams of server-sent events.
package sse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
)

// maxEvent bounds the size in bytes of a line and of the data of one event in
// a stream. Whole images and files pass through tool arguments.
const maxEvent = 16 << 20

// ErrTooLong says that a stream had an event larger than maxEvent.
var ErrTooLong = errors.New("stream event longer than 16 MiB")

// Event is one server-sent event.
type Event struct {
	Event string // its name, often empty
	Data  []byte // its data lines joined by line feeds
	// Cut says that the stream ended before the blank line that ends an
	// event; Data may be torn.
	Cut bool
}

// Read reads server-sent events. Comments, ids, retry times and events
// without data are skipped; lines end in LF or CRLF. A failed read or
// ErrTooLong is yielded last.
func Read(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		br := bufio.NewReader(r)
		var ev Event
		hasData := false
		for {
			line, readErr := readLine(br)
			if readErr != nil && !errors.Is(readErr, io.EOF) {
				yield(Event{}, readErr)
				return
			}
			field, value, _ := bytes.Cut(line, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(field) {
			case "event":
				ev.Event = string(value)
			case "data":
				if hasData {
					ev.Data = append(ev.Data, '\n')
				}
				hasData = true
				ev.Data = append(ev.Data, value...)
			}
			if len(ev.Data) > maxEvent {
				yield(Event{}, ErrTooLong)
				return
			}
			atEnd := errors.Is(readErr, io.EOF)
			if len(line) == 0 || atEnd {
				ev.Cut = atEnd
				if hasData && !yield(ev, nil) {
					return
				}
				ev, hasData = Event{}, false
			}
			if atEnd {
				return
			}
		}
	}
}

// readLine returns the next line without its end; io.EOF comes with the last.
func readLine(br *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := br.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxEvent {
			return nil, ErrTooLong
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil:
			return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
		case errors.Is(err, io.EOF):
			return bytes.TrimSuffix(line, []byte("\r")), io.EOF
		}
		return nil, fmt.Errorf("read stream: %w", err)
	}
}
