package carry

import (
	"errors"
	"fmt"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/internal/jsondoc"
	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Get follows a path of members. It returns nil if a member is missing.
func Get(obj []byte, path ...string) []byte {
	for _, name := range path {
		obj = rawjson.Get(obj, name)
	}
	return obj
}

// Str returns the string at a path, or "".
func Str(obj []byte, path ...string) string { return rawjson.String(Get(obj, path...)) }

// NotOurs turns the error for a text that is not a JSON document into
// convert.ErrNotOurs. Other errors stay as they are.
func NotOurs(err error) error {
	var broken *jsondoc.BrokenError
	if errors.As(err, &broken) {
		return fmt.Errorf("%w: %w", convert.ErrNotOurs, err)
	}
	return err
}
