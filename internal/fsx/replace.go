package fsx

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// Replace gives a file other content in one step: after a crash it has the old
// content or the new. An existing file keeps its mode; a new one gets perm.
// Missing folders are made for the user alone.
func Replace(disk FS, path string, data []byte, perm fs.FileMode) (err error) {
	dir := filepath.Dir(path)
	there := firstFolder(disk, dir)
	if err := disk.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	// Next to the file: a rename does not cross file systems.
	name := filepath.Join(dir, "."+filepath.Base(path)+"-"+rand.Text()+".tmp")
	tmp, err := disk.CreateExclusive(name, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, disk.Remove(name))
		}
	}()
	if info, err := disk.Stat(path); err == nil {
		perm = info.Mode().Perm()
	}
	_, err = tmp.Write(data)
	if err = errors.Join(err, disk.Chmod(name, perm), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err = disk.Rename(name, path); err != nil {
		return err
	}
	removeLeft(disk, dir, "."+filepath.Base(path)+"-")
	return syncFolders(disk, dir, there)
}

// removeLeft removes the temporary files of a path that a crash has left: those that
// nobody has written to for a long time.
func removeLeft(disk FS, dir, prefix string) {
	entries, _ := disk.ReadDir(dir)
	for _, e := range entries {
		drawn, ours := strings.CutPrefix(strings.TrimSuffix(e.Name(), ".tmp"), prefix)
		if !ours || len(drawn) != len(rand.Text()) || !strings.HasSuffix(e.Name(), ".tmp") || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > leftAfter {
			_ = disk.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// leftAfter is how old a temporary file is that no program still writes.
const leftAfter = time.Hour

// firstFolder returns the nearest folder above a path, or itself, that exists.
func firstFolder(disk FS, dir string) string {
	for filepath.Dir(dir) != dir {
		if _, err := disk.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// syncFolders makes the names in the folders from dir up to above durable: those
// in between are new. The highest may be one that the user cannot read.
func syncFolders(disk FS, dir, above string) (err error) {
	for ; ; dir = filepath.Dir(dir) {
		e := disk.SyncDir(dir)
		if dir == above {
			if errors.Is(e, fs.ErrPermission) {
				e = nil
			}
			return errors.Join(err, e)
		}
		err = errors.Join(err, e)
	}
}
