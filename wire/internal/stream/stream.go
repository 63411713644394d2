// Package stream reads streamed answers for the dialects: it finds the JSON
// values in the bytes and turns errors inside a stream into faults.
package stream

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/sse"
	"github.com/coppice-dev/coppice/message"
	"github.com/go-json-experiment/json/jsontext"
)

// maxBody bounds the size in bytes of a whole answer from a server that does
// not stream.
const maxBody = 64 << 20

// Chunk is one value of an answer.
type Chunk struct {
	Data  jsontext.Value
	Whole bool // the server did not stream; Data is the whole answer, or an element of its array
	Done  bool // the marker "[DONE]"; no Data
}

// Decoder assembles an answer.
type Decoder interface {
	// Feed takes the next chunk and returns the deltas in it, and whether it
	// was the terminal chunk.
	Feed(c Chunk) (deltas []message.Event, done bool, err error)
	// Finish returns the message. done reports whether a terminal chunk was
	// seen; ok is false if the answer cannot be complete without one.
	Finish(done bool) (m *message.Message, ok bool)
}

// Decode runs a decoder over a stream, as wire.Dialect describes.
func Decode(r io.Reader, newDecoder func() Decoder) iter.Seq2[message.Event, error] {
	return func(yield func(message.Event, error) bool) {
		d := newDecoder()
		done := false
		for c, err := range chunks(r) {
			if err != nil {
				yield(message.Event{}, err)
				return
			}
			var deltas []message.Event
			if deltas, done, err = feed(d, c); err != nil {
				yield(message.Event{}, err)
				return
			}
			for _, ev := range deltas {
				if !yield(ev, nil) {
					return
				}
			}
			if done {
				break
			}
		}
		m, ok := d.Finish(done)
		if !ok {
			yield(message.Event{}, io.ErrUnexpectedEOF)
			return
		}
		yield(message.Event{Message: m}, nil)
	}
}

// feed passes a chunk on unless it is an error; every vendor sends those as
// an object with an error member.
func feed(d Decoder, c Chunk) ([]message.Event, bool, error) {
	if k := rawjson.Kind(rawjson.Get(c.Data, "error")); k == '{' || k == '"' {
		return nil, false, Fault(c.Data)
	}
	return d.Feed(c)
}

// Fault returns an error that the vendor sent inside a stream. The caller
// classifies it by its words.
func Fault(words []byte) error {
	return &message.Fault{Class: message.ClassUnknown, Message: safetext.Sanitize(string(words))}
}

// chunks finds the values of an answer: server-sent events, or a whole body.
func chunks(r io.Reader) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		br := bufio.NewReader(r)
		first, err := skipSpace(br)
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			yield(Chunk{}, fmt.Errorf("read stream: %w", err))
		case first == '{' || first == '[':
			whole(br, yield)
		case !isEvents(br):
			yield(Chunk{}, text(br))
		default:
			events(br, yield)
		}
	}
}

// skipSpace skips white space and a byte order mark and returns the byte after
// them.
func skipSpace(br *bufio.Reader) (byte, error) {
	for {
		c, err := br.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF:
			continue
		}
		return c, br.UnreadByte()
	}
}

func whole(r io.Reader, yield func(Chunk, error) bool) {
	body, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	switch {
	case err != nil:
		yield(Chunk{}, fmt.Errorf("read answer: %w", err))
	case len(body) > maxBody:
		yield(Chunk{}, fmt.Errorf("read answer: longer than %d MiB", maxBody>>20))
	case !rawjson.Valid(body):
		yield(Chunk{}, io.ErrUnexpectedEOF)
	case rawjson.Kind(body) == '{':
		yield(Chunk{Data: body, Whole: true}, nil)
	default:
		for e := range rawjson.Elements(body) {
			if !yield(Chunk{Data: e, Whole: true}, nil) {
				return
			}
		}
	}
}

func events(r io.Reader, yield func(Chunk, error) bool) {
	for ev, err := range sse.Read(r) {
		c := Chunk{Data: bytes.TrimSpace(ev.Data)}
		switch {
		case err != nil:
		case string(c.Data) == "[DONE]":
			c = Chunk{Done: true}
		case len(c.Data) == 0:
			continue
		case rawjson.Valid(c.Data):
		case ev.Cut:
			return // the answer may be whole without it
		default:
			err = notJSON(c.Data)
		}
		if !yield(c, err) || err != nil {
			return
		}
	}
}
