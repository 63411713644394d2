package prepare

import (
	"fmt"
	"unicode/utf8"

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
	for range maxShortened {
		if most <= 0 || len(raw) <= most || utf8.RuneCount(raw) <= most {
			return raw
		}
		raw = shorter(raw, most)
	}
	return []byte("{}") // a great many small members
}

// maxShortened is how many members of arguments are shortened at the most.
const maxShortened = 8

// shorter shortens the largest member of an object, or what is no object, so
// that the whole is shorter by as much as it is too long, about.
func shorter(raw []byte, most int) []byte {
	name, largest := "", raw
	if rawjson.Kind(raw) == '{' {
		largest = nil
		for k, v := range rawjson.Members(raw) {
			if len(v) > len(largest) {
				name, largest = k, v
			}
		}
	}
	text := string(largest)
	if rawjson.Kind(largest) == '"' {
		text = rawjson.String(largest)
	}
	const note = "\n[%d characters left out; the call was made with all of them]\n"
	runes := []rune(text)
	// Escapes are longer than what they stand for: the share is of the same text.
	size := utf8.RuneCount(largest)
	left := len(runes) * max(0, size-(utf8.RuneCount(raw)-most)-2*len(note)) / max(1, size) * 9 / 10
	cut := fmt.Sprintf("%s"+note+"%s", string(runes[:left*3/4]), len(runes)-left, string(runes[len(runes)-(left-left*3/4):]))
	if rawjson.Kind(raw) != '{' {
		return rawjson.Quote(cut)
	}
	return rawjson.Set(raw, name, rawjson.Quote(cut))
}
