package media

import (
	"errors"
	"fmt"
	"strings"
)

// Checked is a block of media as it can be sent.
type Checked struct {
	Info        // Type comes from the bytes, whatever the block said
	Data string // standard base64: padded, without white space
	Err  error  // why it cannot be sent; nil: it can
}

// Why a block of media cannot be sent.
var (
	ErrEmpty     = errors.New("it is empty")
	ErrNotBase64 = errors.New("its data is not base64")
	ErrType      = errors.New("its data is of an unknown type")
)

// Check reads a block of media. Its base64 may have white space, lack padding,
// use the URL alphabet or be a data URL.
func Check(data string) Checked {
	cleaned, err := clean(data)
	if err != nil {
		return Checked{Info: Info{Bytes: int64(len(data))}, Err: err}
	}
	c := Checked{Data: cleaned}
	if c.Info, _ = look(cleaned); c.Type == "" {
		c.Err = ErrType
	}
	return c
}

// Stub returns what is shown in place of an image: what it was, why it is left
// out and where it can be read. Empty parts are left out.
func Stub(i Info, why, where string) string {
	s := "[image left out: " + i.String()
	if why != "" {
		s += "; " + why
	}
	if where != "" {
		s += "; read " + where
	}
	return s + "]"
}

// sextets maps the characters of both base64 alphabets to the standard one; 0 for
// all other bytes.
var sextets = func() (t [256]byte) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[c] = c
	}
	t['-'], t['_'] = '+', '/'
	return t
}()

// clean turns any form of base64 into standard base64. Clean data is returned
// without a copy.
func clean(data string) (string, error) {
	if rest, ok := strings.CutPrefix(data, "data:"); ok {
		_, data, ok = strings.Cut(rest, ",")
		if !ok {
			return "", ErrNotBase64
		}
	}
	i := 0
	for i < len(data) && sextets[data[i]] == data[i] && data[i] != 0 {
		i++
	}
	if rest := data[i:]; len(data)%4 == 0 && i > 0 && (rest == "" || rest == "=" || rest == "==") {
		return data, nil
	}
	var b strings.Builder
	b.Grow(len(data) + 3)
	b.WriteString(data[:i])
	for ; i < len(data); i++ {
		switch c := data[i]; {
		case sextets[c] != 0:
			b.WriteByte(sextets[c])
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
		case c == '=' && strings.Trim(data[i:], "= \t\r\n") == "":
			i = len(data)
		default:
			return "", fmt.Errorf("%w: %q at %d", ErrNotBase64, c, i)
		}
	}
	switch n := b.Len() % 4; {
	case b.Len() == 0:
		return "", ErrEmpty
	case n == 1:
		return "", fmt.Errorf("%w: it was cut", ErrNotBase64)
	case n > 1:
		b.WriteString("==="[:4-n])
	}
	return b.String(), nil
}
