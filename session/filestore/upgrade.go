package filestore

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/session"
	"github.com/google/uuid"
)

// A file of format 1 is not written to: its session goes on in a new file next
// to it. The id of that one, and its name, follow from the old file, so that
// every later write through the old path finds it.

// appendMigrated appends to a session of format 1: it creates the session that
// continues it, and this log uses that from then on. The old file stays as it
// is. If another program has changed it since it was opened, nothing is
// written: the new session would lack what that program wrote.
func (l *openLog) appendMigrated(entries []*session.Entry) error {
	switch info, err := l.store.fs.Stat(l.path); {
	case err != nil:
		return l.wrap(fmt.Errorf("%w: %w", session.ErrReplaced, err))
	case !os.SameFile(info, l.info):
		return l.wrap(session.ErrReplaced)
	case info.Size() != l.end:
		return l.wrap(session.ErrForeignActive)
	case len(entries) == 0:
		return nil
	}
	var all []*session.Entry
	for i := range l.x.recs {
		if r := &l.x.recs[i]; !r.isHeader() && r.same == 0 {
			e, err := l.entry(i)
			if err != nil {
				return err
			}
			all = append(all, e)
		}
	}
	path, h := l.next()
	return l.create(path, h, append(all, entries...), entries)
}

// next returns the path and the header of the session that continues a file of
// format 1. They depend on the name of the file, its header and its last entry:
// a copy, and a file that another program has written to since, have another.
func (l *openLog) next() (string, session.Header) {
	h := session.Header{Cwd: l.header.Cwd, ParentSession: l.path}
	began := l.header.Time
	if began.IsZero() {
		began = time.Unix(0, 0)
	}
	sum := sha256.New()
	sum.Write(l.header.Raw)
	fmt.Fprintf(sum, "\n%s\n", filepath.Base(l.path))
	if i := l.x.entryBefore(len(l.x.recs)); i >= 0 {
		fmt.Fprint(sum, l.x.recs[i].id)
	}
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(began.UnixMilli()))
	id := uuid.UUID(sum.Sum(nil)[:16])
	copy(id[:6], ms[2:])
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80 // version 7
	h.ID = id.String()
	name := fileName(session.Header{ID: h.ID, Time: began})
	return filepath.Join(filepath.Dir(l.path), name), migrateHeader(h.Complete(l.store.opts.Now()), l.header.Raw)
}

// successor returns the path of the file in which a session of format 1 goes
// on; "": it was not written to yet.
func (l *openLog) successor(ctx context.Context) string {
	path, h := l.next()
	next, err := l.store.open(ctx, path, session.Mode{})
	if err != nil {
		return ""
	}
	defer next.Close()
	if next.header.ID != h.ID {
		return ""
	}
	return path
}

// noteSuccessor says where a session of format 1 goes on.
func (l *openLog) noteSuccessor(path string) {
	l.notes = append(l.notes, session.Problem{Kind: kinds.ProblemContinued,
		Detail: "this file is of format 1 and stays as it is; its session goes on in " + path})
}
