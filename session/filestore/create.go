package filestore

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
)

// appendNew appends to a session that has no file yet. The file is created
// with the first user or assistant message; a session without one is not worth
// a file.
func (l *openLog) appendNew(entries []*session.Entry) error {
	all := slices.Concat(l.pending, entries)
	if !slices.ContainsFunc(entries, (*session.Entry).Speaks) {
		b := batch{}
		if _, err := b.encode(nil, 0, entries); err != nil {
			return l.wrap(err)
		}
		for i := range b.recs {
			b.recs[i].off, b.recs[i].line = -1, 0
		}
		l.pending = all
		l.x.append(b)
		return l.linkNew(len(l.x.recs)-len(b.recs), nil)
	}
	return l.create(l.path, l.header, all, entries)
}

// create makes a file with a header and entries, and makes it the file of this
// log. added are the entries that are new to the log. When it fails, the log
// is unchanged.
func (l *openLog) create(path string, h session.Header, entries, added []*session.Entry) (err error) {
	dir := filepath.Dir(path)
	above := l.store.existing(filepath.Dir(dir))
	if err := l.store.fs.MkdirAll(dir, dirPerm); err != nil {
		return l.wrap(readOnlyError(err))
	}
	lock, err := acquire(path, l.store.opts.Now())
	if err != nil {
		return err
	}
	b := batch{lines: len(entries) + 1}
	buf, err := b.encode(append(slices.Clone(h.Raw), '\n'), 0, entries)
	if err != nil {
		lock.release()
		return l.wrap(err)
	}
	for i := range b.recs {
		b.recs[i].line++ // after the header
	}
	f, err := l.createFile(path, above, buf)
	if err != nil {
		lock.release()
		return l.wrap(readOnlyError(err))
	}
	if l.file != nil {
		l.old = append(l.old, l.file)
	}
	l.path, l.header, l.file, l.lock, l.pending, l.notes = path, h, f, lock, nil, nil
	l.show()
	l.end, l.open, l.syncedAt = int64(len(buf)), false, l.store.opts.Now()
	l.x = newIndex(0, h)
	l.x.whole, l.x.first, l.held, l.scanners = true, 0, nil, nil
	l.x.recs = []record{{id: h.ID, typ: lines.TypeHeader, n: uint32(len(h.Raw)), line: 1}}
	l.x.append(b)
	if err := l.linkNew(1, nil); err != nil {
		l.forget()
	}
	for i, e := range b.recs[len(b.recs)-len(added):] {
		added[i].At = e.off
	}
	return nil
}

// existing returns the first folder that exists: dir, or one above it.
func (s *store) existing(dir string) string {
	for dir != filepath.Dir(dir) {
		if _, err := s.fs.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// createFile makes a durable file; above is the folder that holds the topmost
// one that may be new. A file that could not be finished has nothing that was
// reported as saved, so it is removed again.
func (l *openLog) createFile(path, above string, buf []byte) (_ fsx.File, err error) {
	s := l.store
	if l.leftover {
		if err := s.fs.Remove(path); err != nil {
			return nil, err
		}
		l.leftover = false
	}
	f, err := s.fs.CreateExclusive(path, filePerm)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
			l.leftover = s.fs.Remove(path) != nil
		}
	}()
	if _, err := f.Write(buf); err != nil {
		return nil, err
	}
	if s.opts.Sync != SyncOff {
		if err := errors.Join(f.Sync(), s.syncDirs(filepath.Dir(path), above)); err != nil {
			return nil, err
		}
	}
	if l.info, err = f.Stat(); err != nil {
		return nil, err
	}
	return f, nil
}

// syncDirs makes the names in the folders from dir up to above durable. Above
// the store's own folder there may be one that it cannot read.
func (s *store) syncDirs(dir, above string) (err error) {
	for ; ; dir = filepath.Dir(dir) {
		if e := s.fs.SyncDir(dir); e != nil && (s.owns(dir) || !errors.Is(e, fs.ErrPermission)) {
			err = errors.Join(err, e)
		}
		if dir == above {
			return err
		}
	}
}

// migrateHeader returns the header of the format 3 session that continues a
// session of format 1: h, a complete new one, with the members of the old
// header that format 3 does not know. branchedFrom is left out: it is the
// old file's parent, and the new one's is the old file.
func migrateHeader(h session.Header, old []byte) session.Header {
	raw := h.Raw
	for k, v := range rawjson.Members(old) {
		if k != "branchedFrom" && rawjson.Get(raw, k) == nil {
			raw = rawjson.Set(raw, k, v)
		}
	}
	h.Raw = raw
	return h
}
