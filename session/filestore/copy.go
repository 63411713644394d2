package filestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/session"
)

// WriteCopy writes a whole session to a new file, durably: the header, then
// the raw bytes of the entries in order. The file appears under its name only
// when it is complete. If the name is taken the error is fs.ErrExist.
func WriteCopy(ctx context.Context, path string, h session.Header, entries iter.Seq2[*session.Entry, error]) error {
	return writeCopy(ctx, fsx.OS{}, path, h, entries)
}

func writeCopy(ctx context.Context, disk fsx.FS, path string, h session.Header, entries iter.Seq2[*session.Entry, error]) (err error) {
	if _, err := disk.Stat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	part := path + ".part-" + session.NewID()
	f, err := disk.CreateExclusive(part, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), disk.Remove(part))
		}
	}()
	const flushAt = 1 << 20
	var buf bytes.Buffer
	buf.Write(h.Raw)
	buf.WriteByte('\n')
	flush := func() error {
		if err := guard.Ready(ctx); err != nil {
			return err
		}
		if _, err := f.Write(buf.Bytes()); err != nil {
			return fmt.Errorf("write %s: %w", part, err)
		}
		buf.Reset()
		return nil
	}
	for e, err := range entries {
		if err != nil {
			return err
		}
		raw, err := e.Raw()
		if err != nil {
			return err
		}
		buf.Write(raw)
		buf.WriteByte('\n')
		if buf.Len() >= flushAt {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := disk.Rename(part, path); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(path))
}
