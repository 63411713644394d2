//go:build unix

package filestore

import (
	"io/fs"
	"syscall"
)

// hasOtherNames reports whether a file has more than one name. Which folder the
// others are in cannot be found out.
func hasOtherNames(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}
