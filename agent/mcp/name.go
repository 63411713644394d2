package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is the longest tool name that every vendor accepts.
const maxName = 64

// toolName returns the name of a server's tool for the model: server__tool, in
// the characters that every vendor accepts. One that is too long or taken ends
// with a hash of the real names.
func toolName(server, tool string, taken map[string]bool) string {
	name := plain(server) + "__" + plain(tool)
	if len(name) <= maxName && !taken[name] {
		return name
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	suffix := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), maxName-len(suffix))] + suffix
}

// plain replaces all but letters of English, digits, - and _.
func plain(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			return c
		}
		return '_'
	}, s)
}
