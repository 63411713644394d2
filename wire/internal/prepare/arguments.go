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
		raw = jsonw.Clean(shallow(raw))
	}
	return excerpt.Arguments(raw, most, "the call was made with all of them")
}

// MaxDepth is how deep values in a request are nested. Servers refuse or crash
// on deeper ones: parsers of protocol buffers read 100 levels, serde reads 128,
// Python 1,000.
const MaxDepth = 90

// deepText is how many characters are sent of what is nested too deep.
const deepText = 2000

// shallow returns arguments in which what is nested too deep is text, shortened.
func shallow(raw []byte) []byte {
	if !rawjson.Deeper(raw, MaxDepth) {
		return raw
	}
	if rawjson.Kind(raw) != '{' {
		return deep(raw)
	}
	var o jsonw.Object
	for name, v := range rawjson.Members(raw) {
		if rawjson.Deeper(v, MaxDepth-1) {
			v = deep(v)
		}
		o.Raw(name, v)
	}
	return o.Bytes()
}

func deep(v []byte) []byte {
	return rawjson.Quote(excerpt.Text(string(v), deepText, "nested too deep to be sent; the call was made with all of it"))
}

// Sendable reports whether raw is an object that can be a part of a request as
// it is.
func Sendable(raw []byte) bool {
	return rawjson.Kind(raw) == '{' && rawjson.Valid(raw) && !rawjson.Deeper(raw, MaxDepth)
}
