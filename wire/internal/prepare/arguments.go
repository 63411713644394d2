package prepare

import (
	"github.com/coppice-dev/coppice/internal/excerpt"
	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
)

// MaxArguments is how many characters arguments of a call may have that is sent
// back to OpenAI. A model may write more, and every later request would be
// refused (docs/limits.md).
const MaxArguments = 1_048_576

// arguments turns any bytes into a JSON value that vendors accept, of at most
// so many characters; 0: any number.
func arguments(raw []byte, most int) []byte {
	switch {
	case Blank(string(raw)):
		return []byte("{}")
	case !rawjson.Valid(raw):
		raw = rawjson.Quote(string(raw))
	default:
		raw = jsonw.Clean(raw)
	}
	return excerpt.Arguments(raw, most, "the call was made with all of them")
}
