// Package crush imports sessions of Crush, which keeps all sessions of a
// project in one SQLite database (.crush/crush.db).
//
// A tool message holds the results of all calls of the answer before it.
// Subagents have their own sessions, which are left out.
package crush

import (
	"bytes"
	"context"
	"path/filepath"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/session"
)

// Importer reads databases of Crush. It opens Source.Path itself, because a
// database cannot be read as a stream.
var Importer convert.Importer = importer{}

type importer struct{}

// Name returns "crush".
func (importer) Name() string { return "crush" }

var magic = []byte("SQLite format 3\x00")

// Recognizes reports whether a file is a database with Crush's tables. Other
// agents use databases too.
func (importer) Recognizes(path string, head []byte) bool {
	if !bytes.HasPrefix(head, magic) {
		return false
	}
	return filepath.Base(path) == "crush.db" ||
		bytes.Contains(head, []byte("CREATE TABLE sessions")) && bytes.Contains(head, []byte("parent_session_id"))
}

// Describe picks the session: the requested one, or the newest that is not a
// subagent's.
func (importer) Describe(ctx context.Context, src convert.Source) (session.Header, error) {
	db, err := open(ctx, src.Path)
	if err != nil {
		return session.Header{}, err
	}
	defer db.Close()
	s, err := db.pick(ctx, src.Session)
	if err != nil {
		return session.Header{}, err
	}
	h := session.Header{ID: scribe.SessionID(s.id), Time: s.created}
	if dir := filepath.Dir(src.Path); filepath.Base(dir) == ".crush" {
		h.Cwd = filepath.Dir(dir)
	}
	return h, nil
}

// Import walks the messages of the session.
func (importer) Import(ctx context.Context, src convert.Source, to *convert.Sink) error {
	db, err := open(ctx, src.Path)
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := db.pick(ctx, src.Session)
	if err != nil {
		return err
	}
	if err := db.countRest(ctx, s, to); err != nil {
		return err
	}
	r := newReader(to, s)
	if err := r.begin(ctx); err != nil {
		return err
	}
	n := int64(0)
	for row, err := range db.messages(ctx, s.id) {
		if err != nil && n > 0 && ctx.Err() == nil {
			to.Skip("damaged part of the database")
			break
		}
		if err != nil {
			return err
		}
		if err := r.message(ctx, row); err != nil {
			return err
		}
		n++
		to.Read(src.Size * min(n, s.messages) / max(s.messages, 1))
	}
	return r.end(ctx)
}
