package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/all"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
)

// mix measures the messages of all sessions in each folder of dir, and of all
// folders together.
func (b *bench) mix(ctx context.Context, dir string, report func(name string, r result)) error {
	folders, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var total result
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		files, err := filepath.Glob(filepath.Join(dir, f.Name(), "*"))
		if err != nil {
			return err
		}
		var r result
		for _, file := range files {
			one, err := b.session(ctx, file)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			r.add(one)
		}
		if r.counts[0] > 0 {
			report(f.Name(), r)
			total.add(r)
		}
	}
	report("all", total)
	return nil
}

// session measures the messages of a file. A file of an unknown agent has none.
func (b *bench) session(ctx context.Context, file string) (result, error) {
	var total result
	if info, err := os.Stat(file); err != nil || info.IsDir() {
		return total, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return total, err
	}
	im, ok := all.Detect(file, data[:min(len(data), all.HeadSize)])
	if !ok {
		return total, nil
	}
	src := convert.Source{Path: file, Size: int64(len(data)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
	log, err := memstore.New(nil).Create(ctx, session.Header{})
	if err != nil {
		return total, err
	}
	sink := convert.NewSink(session.New(log, session.Options{}))
	if err := im.Import(ctx, src, sink); err != nil {
		return total, err
	}
	if err := sink.Flush(ctx); err != nil {
		return total, err
	}
	n := 0
	for e, err := range log.All(ctx) {
		if err != nil {
			return total, err
		}
		m, err := e.Message()
		if err != nil {
			return total, err
		}
		if text := said(m); text != "" {
			if n++; n%b.every != 0 {
				continue
			}
			r, err := b.measure(text)
			if err != nil {
				return total, err
			}
			total.add(r)
		}
	}
	return total, nil
}

// said is what a message says, as one text.
func said(m *message.Message) string {
	if m == nil {
		return ""
	}
	parts := []string{m.Summary}
	for _, b := range m.Content {
		switch b := b.(type) {
		case message.Text:
			parts = append(parts, b.Text)
		case message.Thinking:
			parts = append(parts, b.Thinking)
		case message.ToolCall:
			parts = append(parts, b.Name, string(b.Arguments))
		}
	}
	if m.Bash != nil {
		parts = append(parts, m.Bash.Command, m.Bash.Output)
	}
	return strings.ToValidUTF8(strings.Join(parts, "\n"), "\uFFFD")
}
