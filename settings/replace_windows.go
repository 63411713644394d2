package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// atomicWrite writes beside the file and renames, which replaces it.
func atomicWrite(path string, data []byte, _ fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "settings-*.tmp")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
