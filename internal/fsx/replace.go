package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace gives a file other content in one step: after a crash it has the old
// content or the new. An existing file keeps its mode; a new one gets perm.
func Replace(path string, data []byte, perm fs.FileMode) (err error) {
	dir := filepath.Dir(path)
	// Next to the file: a rename does not cross file systems.
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	if info, err := os.Stat(path); err == nil {
		perm = info.Mode().Perm()
	}
	_, err = tmp.Write(data)
	if err = errors.Join(err, os.Chmod(tmp.Name(), perm), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err = os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return OS{}.SyncDir(dir)
}
