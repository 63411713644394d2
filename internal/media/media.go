// Package media says what an image is, by its bytes: its type, its size in
// pixels, what it costs a model, and what a vendor accepts. It reads only
// headers; package fit decodes images.
package media

import (
	"encoding/base64"
	"fmt"
	"math"
	"strings"
)

// Info is what the first bytes of a file say about it.
type Info struct {
	Type          string // MIME type; "": not known
	Width, Height int    // pixels; 0: not known
	Bytes         int64  // of the file

	memory int // approximate bytes per pixel when decoded
}

// Memory returns about how much memory decoding takes, in bytes; 0: not known.
func (i Info) Memory() int64 {
	pixels := int64(i.Width) * int64(i.Height)
	if pixels > math.MaxInt64/16 { // a header may say anything
		return math.MaxInt64
	}
	return int64(i.memory) * pixels
}

// String is for people and models: "PNG, 1280×720 pixels, 34 kB".
func (i Info) String() string {
	s := "file"
	if f := formatOf(i.Type); f != nil {
		s = f.name
	}
	if i.Width > 0 && i.Height > 0 {
		s += fmt.Sprintf(", %d×%d pixels", i.Width, i.Height)
	}
	switch {
	case i.Bytes >= 1_000_000:
		return s + fmt.Sprintf(", %.1f MB", float64(i.Bytes)/1e6)
	case i.Bytes >= 1000:
		return s + fmt.Sprintf(", %d kB", (i.Bytes+500)/1000)
	}
	return s + fmt.Sprintf(", %d bytes", i.Bytes)
}

// Look reads the header of a file stored as base64, like Check, but without
// reading all of it, because it is called often.
func Look(data string) Info {
	if looksClean(data) {
		if info, ok := look(data); ok {
			return info
		}
	}
	cleaned, err := clean(data)
	if err != nil {
		return Info{Bytes: int64(len(data))}
	}
	info, _ := look(cleaned)
	return info
}

// looksClean reports whether data is almost certainly standard base64, without
// line breaks, a prefix or the URL alphabet.
func looksClean(data string) bool {
	return len(data)%4 == 0 && strings.IndexByte(data, '\n') < 0 && strings.IndexByte(data, ' ') < 0 &&
		!strings.ContainsAny(data[:min(len(data), 1024)], ":,-_\r\t")
}

// look reports false if the part that it read is not clean base64.
func look(data string) (Info, bool) {
	b := encoded{data: data}
	info := Inspect(int64(b.len()), b.at)
	return info, !b.broken
}

// encoded gives access to the bytes of clean base64 by offset.
type encoded struct {
	data   string
	broken bool
}

func (b *encoded) len() int {
	n := len(b.data) / 4 * 3
	for i := len(b.data) - 1; i >= max(0, len(b.data)-2) && b.data[i] == '='; i-- {
		n--
	}
	return max(n, 0)
}

// at reads len(p) bytes at off, at most 64.
func (b *encoded) at(off int64, p []byte) bool {
	var out [72]byte
	from := off / 3 * 4
	to := (off + int64(len(p)) + 2) / 3 * 4
	if to > int64(len(b.data)) {
		b.broken = b.broken || len(b.data)%4 != 0
		return false
	}
	n, err := base64.StdEncoding.Decode(out[:], []byte(b.data[from:to]))
	if skip := int(off % 3); err == nil && n >= skip+len(p) {
		copy(p, out[skip:n])
		return true
	}
	b.broken = b.broken || err != nil
	return false
}
