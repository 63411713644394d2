package state

import (
	"path"
	"strings"

	"github.com/coppice-dev/coppice/internal/shell"
)

// paths gives every file one name, however it is spelled: relative to the
// directory at hand, absolute, below the home folder, as Windows and its
// shells write it.
type paths struct {
	cwd     string // canonical; "": not known
	home    string
	windows bool
}

func newPaths(cwd string) paths {
	p := paths{windows: drive(cwd) != "" || strings.Contains(cwd, `\`)}
	if cwd != "" {
		p.cwd = p.absolute(cwd)
	}
	for _, base := range []string{"/home/", "/Users/", "/users/"} {
		if i := strings.Index(p.cwd, base); i >= 0 {
			if user, _, _ := strings.Cut(p.cwd[i+len(base):], "/"); user != "" {
				p.home = p.cwd[:i+len(base)] + user
			}
			break
		}
	}
	if p.home == "" && (p.cwd == "/root" || strings.HasPrefix(p.cwd, "/root/")) {
		p.home = "/root"
	}
	return p
}

// drive is the drive letter of a Windows path, in lower case, or "".
func drive(s string) string {
	if len(s) >= 2 && s[1] == ':' && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z' && (len(s) == 2 || s[2] == '\\' || s[2] == '/') {
		return strings.ToLower(s[:1])
	}
	return ""
}

// unixDrive is the drive letter of a Windows path as shells write it there,
// /c/Users or /mnt/c/Users, and the rest.
func unixDrive(s string) (letter, rest string) {
	s = strings.TrimPrefix(s, "/mnt")
	if len(s) >= 2 && s[0] == '/' && (s[1]|0x20) >= 'a' && (s[1]|0x20) <= 'z' && (len(s) == 2 || s[2] == '/') {
		return strings.ToLower(s[1:2]), s[2:]
	}
	return "", ""
}

// absolute is the canonical form of an absolute path.
func (p *paths) absolute(s string) string {
	if d := drive(s); d != "" {
		p.windows = true
		return d + ":" + path.Clean("/"+strings.ReplaceAll(s[2:], `\`, "/"))
	}
	if letter, rest := unixDrive(s); letter != "" && p.windows {
		return letter + ":" + path.Clean("/"+rest)
	}
	return path.Clean(s)
}

// key is the canonical name of a path as seen from a directory, itself
// canonical; "" is the session's.
func (p *paths) key(s, dir string) string {
	s = strings.TrimPrefix(strings.TrimSpace(s), "file://")
	s = strings.TrimPrefix(s, "@")
	if p.windows || drive(s) != "" || strings.HasPrefix(s, `.\`) {
		s = strings.ReplaceAll(s, `\`, "/")
	}
	switch {
	case strings.HasPrefix(s, "~/") && p.home != "":
		return p.absolute(p.home + s[1:])
	case strings.HasPrefix(s, "~"):
		return s
	case strings.HasPrefix(s, "/") || drive(s) != "":
		return p.absolute(s)
	}
	if dir == "" {
		dir = p.cwd
	}
	return path.Join(dir, s)
}

// show is how a file is written: below the working directory relative to it.
func (p *paths) show(key string) string {
	if p.cwd != "" {
		if rest, ok := strings.CutPrefix(key, strings.TrimSuffix(p.cwd, "/")+"/"); ok {
			return rest
		}
	}
	return key
}

// showDir is show for a directory; "" is the session's.
func (p *paths) showDir(dir string) string {
	if dir == "" || dir == p.cwd {
		return ""
	}
	return p.show(dir)
}

// dirs returns the directory in which each command of a script runs. An empty
// one is not known, or the session's.
func (p *paths) dirs(cmds []shell.Command, workdir string) []string {
	dir := p.cwd
	if workdir != "" {
		dir = p.key(workdir, "")
	}
	out := make([]string, len(cmds))
	for i, c := range cmds {
		out[i] = dir
		if to, is, ok := shell.ChangesDir(c); is && ok {
			dir = p.key(to, dir)
		}
	}
	return out
}
