package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/session"
)

// found is a session file in the store.
type found struct {
	path, id string
	info     fs.FileInfo
}

// resolve turns a reference into a path: a path, an id, or a prefix of one.
func (s *store) resolve(ctx context.Context, ref string) (string, error) {
	if isPath(ref) {
		return filepath.Abs(ref)
	}
	if ref == "" {
		return "", fmt.Errorf("session %q: %w", ref, session.ErrNotFound)
	}
	files, err := s.files(ctx)
	if err != nil {
		return "", err
	}
	var exact, prefixed []string
	for _, f := range files {
		id := f.id
		if id == "" {
			// A file that someone put there under another name.
			id = s.headerID(f.path)
		}
		if id == ref {
			exact = append(exact, f.path)
		} else if strings.HasPrefix(id, ref) {
			prefixed = append(prefixed, f.path)
		}
	}
	if len(exact) == 0 {
		exact = prefixed
	}
	switch len(exact) {
	case 0:
		return "", fmt.Errorf("session %q: %w", ref, session.ErrNotFound)
	case 1:
		return exact[0], nil
	}
	return "", &session.AmbiguousError{Prefix: ref, Candidates: exact}
}

// files lists the session files of all projects, by path.
func (s *store) files(ctx context.Context) ([]found, error) {
	var out []found
	if s.root == "" {
		return nil, nil
	}
	entries, err := s.readDir(s.root)
	if err != nil {
		return nil, err
	}
	out = appendFiles(out, s.root, entries)
	for _, e := range entries {
		if err := guard.Ready(ctx); err != nil {
			return nil, err
		}
		if !e.IsDir() || strings.HasSuffix(e.Name(), ".d") {
			continue
		}
		dir := filepath.Join(s.root, e.Name())
		below, err := s.readDir(dir)
		if err != nil {
			return nil, err
		}
		out = appendFiles(out, dir, below)
	}
	return out, nil
}

// readDir lists a folder; a missing one is empty.
func (s *store) readDir(dir string) ([]fs.DirEntry, error) {
	entries, err := s.fs.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return entries, nil
}

func appendFiles(out []found, dir string, entries []fs.DirEntry) []found {
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".jsonl") {
			continue
		}
		f := found{path: filepath.Join(dir, e.Name()), id: nameID(e.Name())}
		if info, err := e.Info(); err == nil {
			f.info = info
		}
		out = append(out, f)
	}
	return out
}

// headerID reads the id from the head of a file, or "".
func (s *store) headerID(path string) string {
	f, err := s.fs.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	head, err := readInto(f, nil, 0, min(info.Size(), edge))
	if err != nil {
		return ""
	}
	for _, r := range new(scanner).scan(head, 0).recs {
		if r.isHeader() {
			return r.id
		}
	}
	return ""
}
