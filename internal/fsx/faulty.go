package fsx

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// Op names an operation of FS or File.
type Op string

// The operations, as they are in the record of Faulty.
const (
	OpOpen      Op = "open"
	OpAppend    Op = "open-append"
	OpCreate    Op = "create"
	OpStat      Op = "stat"
	OpReadDir   Op = "readdir"
	OpChmod     Op = "chmod"
	OpMkdir     Op = "mkdir"
	OpRename    Op = "rename"
	OpRemove    Op = "remove"
	OpRemoveAll Op = "remove-all"
	OpSyncDir   Op = "sync-dir"
	OpRead      Op = "read"
	OpWrite     Op = "write"
	OpSync      Op = "sync"
	OpClose     Op = "close"
)

// Fault makes operations fail.
type Fault struct {
	Op   Op
	Err  error  // e.g. syscall.ENOSPC; nil: it does not fail
	Skip int    // this many operations of the kind succeed first
	Keep int    // of a failing write, this many bytes reach the file
	Stay bool   // fail from then on; otherwise once
	Hold func() // called first: the operation hangs until it returns
}

// Faulty passes operations to another file system, records their order, and
// fails where a test wants it to. It is safe for concurrent use.
type Faulty struct {
	fs FS

	mu     sync.Mutex
	faults []*Fault
	record []string
}

// NewFaulty returns a faulty twin of fs.
func NewFaulty(fs FS) *Faulty { return &Faulty{fs: fs} }

// Inject adds a fault.
func (f *Faulty) Inject(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, &fault)
}

// ReadOnly makes everything that changes the disk fail with EROFS.
func (f *Faulty) ReadOnly() {
	for _, op := range []Op{OpAppend, OpCreate, OpChmod, OpMkdir, OpRename, OpRemove, OpRemoveAll, OpWrite} {
		f.Inject(Fault{Op: op, Err: syscall.EROFS, Stay: true})
	}
}

// Heal removes all faults.
func (f *Faulty) Heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = nil
}

// Record returns the operations that change or sync the disk since the last
// call, in order, one a line: the operation, the base name, and for a write
// the number of bytes; "!" marks a failed one.
func (f *Faulty) Record() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.record
	f.record = nil
	return r
}

// before finds the fault that an operation meets, and records the operation.
func (f *Faulty) before(op Op, name, more string) (keep int, err error) {
	keep, hold, err := f.meet(op, name, more)
	if hold != nil {
		hold()
	}
	return keep, err
}

func (f *Faulty) meet(op Op, name, more string) (keep int, hold func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, fault := range f.faults {
		if fault.Op != op {
			continue
		}
		if fault.Skip > 0 {
			fault.Skip--
			continue
		}
		if !fault.Stay {
			f.faults = slices.Delete(f.faults, i, i+1)
		}
		if keep, hold = fault.Keep, fault.Hold; fault.Err != nil {
			err = &fs.PathError{Op: string(op), Path: name, Err: fault.Err}
		}
		break
	}
	switch op {
	case OpStat, OpRead, OpReadDir, OpOpen:
		return keep, hold, err
	}
	line := fmt.Sprintf("%s %s%s", op, filepath.Base(name), more)
	if err != nil {
		line += " !"
	}
	f.record = append(f.record, line)
	return keep, hold, err
}

// Open opens a file for reading.
func (f *Faulty) Open(name string) (File, error) { return f.open(OpOpen, name, f.fs.Open) }

// OpenAppend opens an existing file for reading and for writing at its end.
func (f *Faulty) OpenAppend(name string) (File, error) {
	return f.open(OpAppend, name, f.fs.OpenAppend)
}

// CreateExclusive makes a file for reading and for writing at its end.
func (f *Faulty) CreateExclusive(name string, perm fs.FileMode) (File, error) {
	return f.open(OpCreate, name, func(name string) (File, error) { return f.fs.CreateExclusive(name, perm) })
}

func (f *Faulty) open(op Op, name string, open func(string) (File, error)) (File, error) {
	if _, err := f.before(op, name, ""); err != nil {
		return nil, err
	}
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	return &faultyFile{fs: f, name: name, file: file}, nil
}

// Stat describes the file after a name.
func (f *Faulty) Stat(name string) (fs.FileInfo, error) {
	if _, err := f.before(OpStat, name, ""); err != nil {
		return nil, err
	}
	return f.fs.Stat(name)
}

// ReadDir lists a folder.
func (f *Faulty) ReadDir(name string) ([]fs.DirEntry, error) {
	if _, err := f.before(OpReadDir, name, ""); err != nil {
		return nil, err
	}
	return f.fs.ReadDir(name)
}

// Chmod changes permissions.
func (f *Faulty) Chmod(name string, perm fs.FileMode) error {
	if _, err := f.before(OpChmod, name, fmt.Sprintf(" %04o", perm)); err != nil {
		return err
	}
	return f.fs.Chmod(name, perm)
}

// MkdirAll makes a folder and those above it.
func (f *Faulty) MkdirAll(name string, perm fs.FileMode) error {
	if _, err := f.before(OpMkdir, name, fmt.Sprintf(" %04o", perm)); err != nil {
		return err
	}
	return f.fs.MkdirAll(name, perm)
}

// Rename gives a file another name.
func (f *Faulty) Rename(from, to string) error {
	if _, err := f.before(OpRename, from, " "+filepath.Base(to)); err != nil {
		return err
	}
	return f.fs.Rename(from, to)
}

// Remove removes a file or an empty folder.
func (f *Faulty) Remove(name string) error {
	if _, err := f.before(OpRemove, name, ""); err != nil {
		return err
	}
	return f.fs.Remove(name)
}

// RemoveAll removes a folder and all in it.
func (f *Faulty) RemoveAll(name string) error {
	if _, err := f.before(OpRemoveAll, name, ""); err != nil {
		return err
	}
	return f.fs.RemoveAll(name)
}

// SyncDir makes the names in a folder durable.
func (f *Faulty) SyncDir(name string) error {
	if _, err := f.before(OpSyncDir, name, ""); err != nil {
		return err
	}
	return f.fs.SyncDir(name)
}

type faultyFile struct {
	fs   *Faulty
	name string
	file File
}

func (f *faultyFile) ReadAt(p []byte, off int64) (int, error) {
	if _, err := f.fs.before(OpRead, f.name, ""); err != nil {
		return 0, err
	}
	return f.file.ReadAt(p, off)
}

func (f *faultyFile) Write(p []byte) (int, error) {
	keep, err := f.fs.before(OpWrite, f.name, fmt.Sprintf(" %d", len(p)))
	if err == nil {
		return f.file.Write(p)
	}
	n, werr := f.file.Write(p[:min(keep, len(p))])
	if werr != nil {
		return n, werr
	}
	return n, err
}

func (f *faultyFile) Sync() error {
	if _, err := f.fs.before(OpSync, f.name, ""); err != nil {
		return err
	}
	return f.file.Sync()
}

func (f *faultyFile) Stat() (fs.FileInfo, error) {
	if _, err := f.fs.before(OpStat, f.name, ""); err != nil {
		return nil, err
	}
	return f.file.Stat()
}

// Close closes the file even if a fault says that it failed.
func (f *faultyFile) Close() error {
	_, fault := f.fs.before(OpClose, f.name, "")
	if err := f.file.Close(); err != nil {
		return err
	}
	return fault
}
