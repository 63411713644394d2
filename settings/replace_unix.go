//go:build !windows

package settings

import (
	"io/fs"

	"github.com/google/renameio/v2"
)

// atomicWrite replaces a file in one step. An existing file keeps its mode.
func atomicWrite(path string, data []byte, mode fs.FileMode) error {
	return renameio.WriteFile(path, data, mode, renameio.WithExistingPermissions())
}
