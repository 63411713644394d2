package filestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/coppice-dev/coppice/internal/guard"
)

// CopySide gives the session file at to the large outputs of the one at from:
// the files in its <session>.d folder (docs/format.md, File). They never
// change, so both sessions share them on disk if the file system supports it.
// Without such a folder nothing happens; a file that already exists stays as
// it is.
func CopySide(ctx context.Context, from, to string) error {
	src, dst := SideDir(from), SideDir(to)
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := guard.Ready(ctx); err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		target := filepath.Join(dst, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, dirPerm)
		case !d.Type().IsRegular():
			return nil // a link could expose files from outside the folder
		}
		return linkOrCopy(path, target)
	})
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(src); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("copy what belongs to %s: %w", from, err)
	}
	return nil
}

func linkOrCopy(from, to string) (err error) {
	if err := os.Link(from, to); err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err != nil {
			os.Remove(to)
		}
	}()
	_, err = io.Copy(out, in)
	return err
}
