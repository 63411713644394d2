package excerpt

import (
	"fmt"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Text shortens a text to at most so many characters: its head, a line that says
// how many are left out and why or where they are, its tail. most 0: any number.
func Text(text string, most int, where string) string {
	if most <= 0 || len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(text)
	note := fmt.Sprintf("\n[%d characters left out; %s]\n", len(runes), where) // at least as long as it will be
	left := most - len(note)
	if left <= 0 {
		return string(runes[:most])
	}
	head := left * 3 / 4
	return string(runes[:head]) + fmt.Sprintf("\n[%d characters left out; %s]\n", len(runes)-left, where) + string(runes[len(runes)-(left-head):])
}

// maxMembers is how many members of arguments are shortened at the most.
const maxMembers = 8

// Arguments shortens the arguments of a tool call, a JSON value, to at most so
// many characters: the largest members of an object give way first. The result
// is valid JSON if raw is. most 0: any number.
func Arguments(raw []byte, most int, where string) []byte {
	for range maxMembers {
		if most <= 0 || len(raw) <= most || utf8.RuneCount(raw) <= most {
			return raw
		}
		raw = shorter(raw, most, where)
	}
	return []byte("{}") // a great many small members
}

// shorter shortens the largest member of an object, or a value that is not an object, so
// that the whole is shorter by as much as it is too long, about.
func shorter(raw []byte, most int, where string) []byte {
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
	// Escapes are longer than what they stand for: the share is of the same text.
	size := utf8.RuneCount(largest)
	room := max(0, size-(utf8.RuneCount(raw)-most))
	cut := Text(text, max(1, utf8.RuneCountInString(text)*room/max(1, size)*9/10), where)
	if rawjson.Kind(raw) != '{' {
		return rawjson.Quote(cut)
	}
	return rawjson.Set(raw, name, rawjson.Quote(cut))
}
