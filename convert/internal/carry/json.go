package carry

import (
	"errors"
	"fmt"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/internal/jsondoc"
	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Get follows a path of members. It returns nil where it ends in nothing.
func Get(obj []byte, path ...string) []byte {
	for _, name := range path {
		obj = rawjson.Get(obj, name)
	}
	return obj
}

// Str is the string at a path, or "".
func Str(obj []byte, path ...string) string { return rawjson.String(Get(obj, path...)) }

// NotOurs says of a document that is none that no agent wrote it. Other errors
// stay as they are.
func NotOurs(err error) error {
	var broken *jsondoc.BrokenError
	if errors.As(err, &broken) {
		return fmt.Errorf("%w: %w", convert.ErrNotOurs, err)
	}
	return err
}
