package filestore

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/session"
)

// projectDir returns the name of the folder for sessions of a working
// directory: its last part as far as that makes a name, so that people find
// it, and a hash of the whole path, so that no two share a folder.
func projectDir(cwd string) string {
	sum := sha256.Sum256([]byte(filepath.Clean(cwd)))
	slug := slug(filepath.Base(filepath.ToSlash(cwd)))
	if slug == "" {
		slug = "root"
	}
	return slug + "-" + hex.EncodeToString(sum[:6])
}

// slug keeps letters and digits of any script and replaces everything else by
// single dashes. Names in file systems end at 255 bytes; 60 are enough to
// recognize one.
func slug(name string) string {
	var b strings.Builder
	dash := false
	for _, r := range name {
		if r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' {
			dash = b.Len() > 0
			continue
		}
		if b.Len()+utf8.RuneLen(r)+1 > 60 {
			break
		}
		if dash {
			b.WriteByte('-')
			dash = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// fileName returns <timestamp>_<id>.jsonl, with characters that some file
// systems refuse replaced, as pi does.
func fileName(h session.Header) string {
	stamp := h.Time.UTC().Format("2006-01-02T15:04:05.000Z")
	return strings.NewReplacer(":", "-", ".", "-").Replace(stamp) + "_" + h.ID + ".jsonl"
}

// nameID returns the session id in a file name, or "".
func nameID(name string) string {
	name = strings.TrimSuffix(name, ".jsonl")
	// The timestamp has no underscore; an id may have.
	if _, id, ok := strings.Cut(name, "_"); ok {
		return id
	}
	return ""
}

// validID reports whether an id can be part of a file name, by pi's rule.
func validID(id string) bool {
	alnum := func(c byte) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	if id == "" || len(id) > 128 || !alnum(id[0]) || !alnum(id[len(id)-1]) {
		return false
	}
	for i := range len(id) {
		if c := id[i]; !alnum(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}
