package fsx

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
)

// OS is the file system of the machine.
type OS struct{}

// Open opens a file for reading. What is neither a file nor a folder is
// refused: opening a pipe that no one writes to would never return.
func (OS) Open(name string) (File, error) {
	if err := waits("open", name); err != nil {
		return nil, err
	}
	return file(os.Open(name))
}

// OpenAppend opens an existing file for reading and for writing at its end.
func (OS) OpenAppend(name string) (File, error) {
	if err := waits("open", name); err != nil {
		return nil, err
	}
	return file(os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0))
}

// CreateExclusive makes a file for reading and for writing at its end.
func (OS) CreateExclusive(name string, perm fs.FileMode) (File, error) {
	return file(os.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, perm))
}

// ErrNotRegular says that a name refers to a pipe, a device or a socket.
var ErrNotRegular = errors.New("not a regular file")

// waits refuses what may wait for another program instead of being read.
func waits(op, name string) error {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return &fs.PathError{Op: op, Path: name, Err: ErrNotRegular}
	}
	return err
}

// file keeps a nil *os.File from becoming a File that is not nil.
func file(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return appending{f}, nil
}

// appending hides WriteAt and its kin, which a file opened for appending refuses.
type appending struct{ f *os.File }

func (a appending) ReadAt(p []byte, off int64) (int, error) { return a.f.ReadAt(p, off) }
func (a appending) Write(p []byte) (int, error)             { return a.f.Write(p) }
func (a appending) Close() error                            { return a.f.Close() }
func (a appending) Stat() (fs.FileInfo, error)              { return a.f.Stat() }
func (a appending) Sync() error                             { return a.f.Sync() }

// Stat describes the file after a name.
func (OS) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// ReadDir lists a folder.
func (OS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// Chmod changes permissions.
func (OS) Chmod(name string, perm fs.FileMode) error { return os.Chmod(name, perm) }

// MkdirAll makes a folder and those above it.
func (OS) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(name, perm) }

// Rename gives a file another name.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove removes a file or an empty folder.
func (OS) Remove(name string) error { return os.Remove(name) }

// RemoveAll removes a folder and all in it.
func (OS) RemoveAll(name string) error { return os.RemoveAll(name) }

// SyncDir makes the names in a folder durable. Windows has no such call; there
// the file's own sync is all there is.
func (OS) SyncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
