package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/coppice-dev/coppice/session"
)

// generate makes the input of a job, unless it exists, and returns its path.
func generate(ctx context.Context, f flags, j job) (string, error) {
	if j.kind == kindFolder {
		return generateFolder(ctx, f)
	}
	path := filepath.Join(f.data, fmt.Sprintf("%s-%d.jsonl", j.kind, j.entries))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	gen := f.gen
	if gen == "" {
		gen = nearby("shared/peers/pi/gen.mjs")
	}
	if gen == "" {
		return path, writeSession(j.kind, j.entries, path)
	}
	if out, err := exec.CommandContext(ctx, f.node, gen, fmt.Sprint(j.entries), j.kind, path).CombinedOutput(); err != nil {
		return "", fmt.Errorf("generate %s: %w: %s", path, err, out)
	}
	return path, nil
}

// nearby finds a path next to the working directory or one above it, or "".
func nearby(rel string) string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
		path := filepath.Join(dir, filepath.FromSlash(rel))
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
}

// sizesListed are the lengths of the sessions in a folder, used in turn: most are
// short, a few make up most of the bytes.
var sizesListed = []int{20, 50, 100, 200, 500, 1000, 2000, 5000}

// generateFolder makes the folder of sessions that is listed: each is the
// beginning of the same plain session with its own header.
func generateFolder(ctx context.Context, f flags) (string, error) {
	dir := filepath.Join(f.data, "sessions")
	if found, err := os.ReadDir(dir); err == nil && len(found) == listed {
		return dir, nil
	}
	source, err := generate(ctx, f, job{kindPlain, 10_000, stepContext})
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	for i := range listed {
		path := filepath.Join(dir, fmt.Sprintf("session-%03d.jsonl", i))
		if err := writeBeginning(source, sizesListed[i%len(sizesListed)], i, path); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// writeBeginning writes a session of the first n entries of another.
func writeBeginning(source string, n, number int, path string) error {
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := bufio.NewReader(in)
	old, err := lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	h, ok := session.ParseHeader(old)
	if !ok {
		return fmt.Errorf("%s: %w", source, session.ErrNotASession)
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer out.Close()
	header := session.Header{ID: fmt.Sprintf("019b7000-0000-7000-8000-%012d", number), Cwd: h.Cwd}.Complete(h.Time)
	w := bufio.NewWriter(out)
	w.Write(header.Raw) // an error stays in w until Flush
	w.WriteByte('\n')
	for range n {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
		w.Write(line)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return out.Close()
}

// scratch is a copy of a session that is appended to.
type scratch struct {
	path string
	size int64
}

// newScratch copies a session and syncs it: a measured sync must not have to
// write the copy.
func newScratch(source string) (*scratch, error) {
	in, err := os.Open(source)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	s := &scratch{path: source + ".scratch.jsonl"}
	out, err := os.Create(s.path)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	if s.size, err = io.Copy(out, in); err != nil {
		return nil, err
	}
	if err := out.Sync(); err != nil {
		return nil, err
	}
	return s, out.Close()
}

// reset removes what was appended.
func (s *scratch) reset() error { return os.Truncate(s.path, s.size) }

func (s *scratch) remove() { os.Remove(s.path) }
