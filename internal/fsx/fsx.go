// Package fsx is the seam to the disk: what a session store asks of a file
// system, the operating system's answer, and a faulty twin for tests.
//
// It names operations and not files, because what has to be tested is their
// order: a file is durable only when its folder was synced after it.
package fsx

import (
	"errors"
	"io"
	"io/fs"
)

// ErrNotSynced says that what was written may not survive a power failure.
var ErrNotSynced = errors.New("written, but not synced")

// FS is a file system. Names are paths as the operating system writes them.
// Errors are *fs.PathError or *os.LinkError and answer to errors.Is.
type FS interface {
	// Open opens a file for reading.
	Open(name string) (File, error)
	// OpenAppend opens an existing file for reading and for writing at its end.
	OpenAppend(name string) (File, error)
	// CreateExclusive makes a file for reading and for writing at its end; it
	// fails with fs.ErrExist if the name is taken.
	CreateExclusive(name string, perm fs.FileMode) (File, error)
	// Stat describes the file after a name; links are followed.
	Stat(name string) (fs.FileInfo, error)
	// ReadDir lists a folder, ordered by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// Chmod changes permissions.
	Chmod(name string, perm fs.FileMode) error
	// MkdirAll makes a folder and those above it.
	MkdirAll(name string, perm fs.FileMode) error
	// Rename gives a file another name and replaces a file that has it.
	Rename(from, to string) error
	// Remove removes a file or an empty folder.
	Remove(name string) error
	// RemoveAll removes a folder and all in it; a missing one is not an error.
	RemoveAll(name string) error
	// SyncDir makes the names in a folder durable.
	SyncDir(name string) error
}

// File is an open file. Writes go to its end, wherever others have moved it.
type File interface {
	io.ReaderAt
	io.Writer
	io.Closer
	// Stat describes the open file, whatever its name refers to by now.
	Stat() (fs.FileInfo, error)
	// Sync makes what was written durable.
	Sync() error
}
