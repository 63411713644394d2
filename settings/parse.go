package settings

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// maxFile is the size in bytes above which a file cannot be a settings file.
// It also bounds how deeply values can nest.
const maxFile = 256 << 10

// parseFile reads a document: an object, or only comments, which is an empty
// object. The line is that of the error, or 0 if unknown.
func parseFile(data []byte) (doc hujson.Value, line int, err error) {
	if len(data) > maxFile {
		return doc, 0, fmt.Errorf("is larger than %d KiB", maxFile>>10)
	}
	doc, err = hujson.Parse(data)
	var tails []string
	if bytes.IndexByte(data, '/') >= 0 || len(bytes.TrimSpace(data)) == 0 {
		tails = []string{"\n", "{\n}\n", "\n{\n}\n"} // the line end after the last comment and the object may be missing
	}
	for _, tail := range tails {
		if err == nil {
			break
		}
		if whole, err2 := hujson.Parse(append(bytes.Clone(data), tail...)); err2 == nil {
			doc, err = whole, nil
		}
	}
	if err != nil {
		line, err = parseError(err)
		return doc, line, err
	}
	if doc.Value.Kind() != '{' {
		return doc, 1, errors.New("must hold one object in braces")
	}
	return doc, 0, nil
}

// parseError splits the parser's message. It may quote a whole value, which
// may be a secret; that part is left out.
func parseError(err error) (line int, why error) {
	_, _ = fmt.Sscanf(err.Error(), "hujson: line %d,", &line) // 0 if it has none
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	if strings.HasPrefix(err.Error(), "invalid literal") {
		return line, errors.New("cannot be read: not a JSON value")
	}
	return line, fmt.Errorf("cannot be read: %w", err)
}

// parseText reads a value as it is typed in a shell: texts without quotes,
// everything else as JSON.
func parseText(t reflect.Type, text string) (hujson.Value, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.String {
		return hujson.Value{Value: hujson.String(text)}, nil
	}
	if len(text) > maxFile {
		return hujson.Value{}, errors.New("is too long")
	}
	v, err := hujson.Parse([]byte(text))
	if err != nil {
		return v, fmt.Errorf("must be %s", typeWord(t))
	}
	return v, nil
}
