package prepare

import (
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/message"
)

// UnsignedCall replaces the signature of a call that another model made, as Google
// documents; its newer models refuse calls without one.
const UnsignedCall = "skip_thought_signature_validator"

// SignsCalls reports whether a model refuses calls without a signature: Gemini from
// version 3 on. A name without a version is that of the latest one.
func SignsCalls(m message.Model) bool {
	_, name, gemini := strings.Cut(strings.ToLower(m.ID), "gemini-")
	if !gemini {
		return false
	}
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '.' || r == ':' || r == '@' }) {
		if n, err := strconv.Atoi(part); err == nil {
			return n >= 3 && n < 100 // larger numbers are dates
		}
	}
	return strings.HasSuffix(name, "-latest")
}
