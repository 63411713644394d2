package fsx

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Lossy passes operations to another file system and remembers what of them a
// power failure would leave: the bytes of a file when it was last synced, and
// the names in a folder when the folder was last synced. It is safe for
// concurrent use.
type Lossy struct {
	fs   FS
	base string // this folder, and what was in it before, is durable

	mu   sync.Mutex
	now  map[string]*node // by name
	kept map[string]*node // as of the last sync of each folder
}

// node is a file or a folder.
type node struct {
	dir    bool
	synced []byte
}

// NewLossy returns a twin of fs for what is in the folder base, which is empty.
func NewLossy(fs FS, base string) *Lossy {
	root := &node{dir: true}
	return &Lossy{fs: fs, base: base, now: map[string]*node{base: root}, kept: map[string]*node{base: root}}
}

// Crash writes into the folder to what would be in the base after a power
// failure.
func (l *Lossy) Crash(to string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, n := range l.kept {
		if !l.reachable(name) {
			continue
		}
		rel, err := filepath.Rel(l.base, name)
		if err != nil {
			return err
		}
		at := filepath.Join(to, rel)
		if n.dir {
			err = os.MkdirAll(at, 0o700)
		} else if err = os.MkdirAll(filepath.Dir(at), 0o700); err == nil {
			err = os.WriteFile(at, n.synced, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reachable reports whether the folders above a name are durable, too.
func (l *Lossy) reachable(name string) bool {
	for name != l.base {
		if l.kept[name] == nil || name == filepath.Dir(name) {
			return false
		}
		name = filepath.Dir(name)
	}
	return true
}

// Open opens a file for reading.
func (l *Lossy) Open(name string) (File, error) { return l.open(name, l.fs.Open) }

// OpenAppend opens an existing file for reading and for writing at its end.
func (l *Lossy) OpenAppend(name string) (File, error) { return l.open(name, l.fs.OpenAppend) }

// CreateExclusive makes a file for reading and for writing at its end.
func (l *Lossy) CreateExclusive(name string, perm fs.FileMode) (File, error) {
	return l.open(name, func(name string) (File, error) {
		f, err := l.fs.CreateExclusive(name, perm)
		if err == nil {
			l.now[name] = &node{}
		}
		return f, err
	})
}

func (l *Lossy) open(name string, open func(string) (File, error)) (File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, err := open(name)
	if err != nil || l.now[name] == nil {
		return f, err
	}
	return &lossyFile{File: f, fs: l, node: l.now[name]}, nil
}

// Stat describes the file after a name.
func (l *Lossy) Stat(name string) (fs.FileInfo, error) { return l.fs.Stat(name) }

// ReadDir lists a folder.
func (l *Lossy) ReadDir(name string) ([]fs.DirEntry, error) { return l.fs.ReadDir(name) }

// Chmod changes permissions.
func (l *Lossy) Chmod(name string, perm fs.FileMode) error { return l.fs.Chmod(name, perm) }

// MkdirAll makes a folder and those above it.
func (l *Lossy) MkdirAll(name string, perm fs.FileMode) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.fs.MkdirAll(name, perm)
	for dir := name; err == nil && dir != filepath.Dir(dir) && l.now[dir] == nil; dir = filepath.Dir(dir) {
		l.now[dir] = &node{dir: true}
	}
	return err
}

// Rename gives a file another name.
func (l *Lossy) Rename(from, to string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.fs.Rename(from, to)
	if err == nil {
		l.now[to] = l.now[from]
		delete(l.now, from)
	}
	return err
}

// Remove removes a file or an empty folder.
func (l *Lossy) Remove(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.fs.Remove(name)
	if err == nil {
		delete(l.now, name)
	}
	return err
}

// RemoveAll removes a folder and all in it.
func (l *Lossy) RemoveAll(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.fs.RemoveAll(name)
	for at := range l.now {
		if err == nil && (at == name || strings.HasPrefix(at, name+string(filepath.Separator))) {
			delete(l.now, at)
		}
	}
	return err
}

// SyncDir makes the names in a folder durable.
func (l *Lossy) SyncDir(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.fs.SyncDir(name); err != nil {
		return err
	}
	for _, names := range []map[string]*node{l.now, l.kept} {
		for at := range names {
			if filepath.Dir(at) != name {
				continue
			}
			if n := l.now[at]; n != nil {
				l.kept[at] = n
			} else {
				delete(l.kept, at)
			}
		}
	}
	return nil
}

type lossyFile struct {
	File
	fs   *Lossy
	node *node
}

// Sync makes what was written durable.
func (f *lossyFile) Sync() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.File.Sync(); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	f.node.synced = make([]byte, info.Size())
	_, err = f.ReadAt(f.node.synced, 0)
	return err
}
