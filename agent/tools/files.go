package tools

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/message"
)

const (
	maxRead  = 2000     // greatest number of lines of one read
	maxBytes = 48 << 10 // bytes of text of one read: under the agent's own limit
	maxFile  = 32 << 20 // size in bytes of the largest file that is read
)

func (b box) read() agent.Tool {
	return agent.Tool{Name: "read", Parallel: true,
		Description: fmt.Sprintf("Read a text file or an image. Returns at most %d lines; offset and limit choose others.", maxRead),
		Parameters: parameters([3]string{"path", "string", "the file"}, [3]string{"offset?", "integer", "first line, from 1"},
			[3]string{"limit?", "integer", "number of lines"}),
		Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			var in struct {
				Path   string `json:"path"`
				Offset int    `json:"offset"`
				Limit  int    `json:"limit"`
			}
			if err := arguments(c.Arguments, &in); err != nil {
				return agent.Result{}, err
			}
			data, err := readFile(b.path(in.Path))
			if err != nil {
				return agent.Result{}, err
			}
			if kind := http.DetectContentType(data); strings.HasPrefix(kind, "image/") {
				return agent.Result{Content: []message.Block{message.Image{Data: base64.StdEncoding.EncodeToString(data), MIMEType: kind}}}, nil
			}
			if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
				return agent.Result{}, fmt.Errorf("%s is not a text file", in.Path)
			}
			text, err := window(string(data), in.Offset, in.Limit)
			return agent.Text(text), err
		}}
}

// readFile reads a regular file of a size that fits into memory.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; find lists files", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d bytes, more than %d: read parts of it with bash", path, info.Size(), maxFile)
	}
	return os.ReadFile(path)
}

// window returns the requested lines of a text, as many as fit, and a line
// that says where to continue.
func window(text string, offset, limit int) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	first := max(1, offset)
	if first > len(lines) && offset > 1 {
		return "", fmt.Errorf("the file has %d lines", len(lines))
	}
	n, size := 0, 0
	for _, l := range lines[first-1:] {
		if n == maxRead || limit > 0 && n == limit || n > 0 && size+len(l) > maxBytes {
			break
		}
		n, size = n+1, size+len(l)
	}
	last := first - 1 + n
	out := strings.Join(lines[first-1:last], "")
	if last < len(lines) {
		out = strings.TrimSuffix(out, "\n") + fmt.Sprintf("\n[%d more lines in file; use offset=%d]", len(lines)-last, last+1)
	}
	return out, nil
}

func (b box) write() agent.Tool {
	return agent.Tool{Name: "write", Description: "Write a file: create it, or replace all of it. Missing folders are created.",
		Parameters: parameters([3]string{"path", "string", "the file"}, [3]string{"content", "string", "the whole new content"}),
		Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			var in struct {
				Path    string `json:"path"`
				Content string `json:"content"`
			}
			if err := arguments(c.Arguments, &in); err != nil {
				return agent.Result{}, err
			}
			if in.Path == "" {
				return agent.Result{}, errors.New("path is missing")
			}
			path := b.path(in.Path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return agent.Result{}, err
			}
			if err := replace(path, in.Content); err != nil {
				return agent.Result{}, err
			}
			return agent.Text(fmt.Sprintf("wrote %d bytes to %s", len(in.Content), in.Path)), nil
		}}
}

// replace writes a file atomically and keeps its mode. If the path is a link
// it writes the link's target.
func replace(path, content string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a regular file", path)
		}
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".coppice-*")
	if err != nil {
		return err
	}
	_, err = tmp.WriteString(content)
	if err = errors.Join(err, tmp.Chmod(mode), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

func (b box) edit() agent.Tool {
	return agent.Tool{Name: "edit", Description: "Replace text in a file. oldText must occur exactly once, unless all is true.",
		Parameters: parameters([3]string{"path", "string", "the file"}, [3]string{"oldText", "string", "the text to replace, with its exact white space"},
			[3]string{"newText", "string", "the new text"}, [3]string{"all?", "boolean", "replace every occurrence"}),
		Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			var in struct {
				Path    string `json:"path"`
				OldText string `json:"oldText"`
				NewText string `json:"newText"`
				All     bool   `json:"all"`
			}
			if err := arguments(c.Arguments, &in); err != nil {
				return agent.Result{}, err
			}
			data, err := readFile(b.path(in.Path))
			if err != nil {
				return agent.Result{}, err
			}
			text, n, err := substitute(string(data), in.OldText, in.NewText, in.All)
			if err != nil {
				return agent.Result{}, fmt.Errorf("%s: %w", in.Path, err)
			}
			if err := replace(b.path(in.Path), text); err != nil {
				return agent.Result{}, err
			}
			return agent.Text(fmt.Sprintf("replaced %d in %s", n, in.Path)), nil
		}}
}

// substitute replaces old in text. old may have LF line ends even if the file
// has CRLF.
func substitute(text, old, replacement string, all bool) (string, int, error) {
	if old == "" {
		return "", 0, errors.New("oldText is empty")
	}
	if !strings.Contains(text, old) && strings.Contains(text, "\r\n") {
		old, replacement = crlf(old), crlf(replacement)
	}
	switch n := strings.Count(text, old); {
	case n == 0:
		return "", 0, errors.New("oldText is not in the file; read the file again")
	case n > 1 && !all:
		return "", 0, fmt.Errorf("oldText occurs %d times in the file; include more of the text around it, or set all", n)
	default:
		return strings.ReplaceAll(text, old, replacement), n, nil
	}
}

func crlf(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}
