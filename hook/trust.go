package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxTrusted bounds the size of a hook folder, in bytes, because it is read
// before each run.
const maxTrusted = 64 << 20

// Untrusted says that a project has hooks that do not run.
type Untrusted struct {
	Dir      string
	Hash     string   // what to remember if the user trusts it
	Programs []string // by event and name, as in "tool_call/check"
}

func (u *Untrusted) Error() string {
	return fmt.Sprintf("hooks: %s in %s: not trusted, so not run (%s)", strings.Join(u.Programs, ", "), u.Dir, u.Hash)
}

// HashFolder returns a hash of a hook folder's content: the names of all
// files, whether they are executable, and every byte in them. A folder with
// anything but files and folders in it cannot be hashed, because a link's
// target may change unnoticed. The error for a missing folder is
// fs.ErrNotExist.
func HashFolder(dir string) (string, error) {
	sum := sha256.New()
	left := int64(maxTrusted)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a regular file", path)
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		content, n, err := hashFile(path, left)
		if err != nil {
			return err
		}
		left -= n
		fmt.Fprintf(sum, "%q %t %s\n", filepath.ToSlash(rel), runnable(rel, uint32(info.Mode().Perm())), content)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("hooks: %w", err)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

func hashFile(path string, most int64) (sum string, n int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	n, err = io.Copy(h, io.LimitReader(f, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("the folder has more than %d bytes", maxTrusted)
	}
	return hex.EncodeToString(h.Sum(nil)), n, err
}

// trustedOnes returns the project's hooks if they may run, and reports them if
// they may not.
func (b *Bus) trustedOnes() []hook {
	dir := b.opts.ProjectDir
	if dir == "" {
		return nil
	}
	hash, err := HashFolder(dir) // hash first: only programs that were hashed may run
	found, problems := discover(dir, true)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		b.report(err)
		return nil
	case b.opts.Trusted != nil && b.opts.Trusted(hash):
		b.trusted = hash
		b.reportAll(problems)
		return found
	case len(found) > 0:
		b.report(&Untrusted{Dir: dir, Hash: hash, Programs: namesOf(found)})
	}
	return nil
}

func namesOf(hooks []hook) []string {
	var out []string
	for _, h := range hooks {
		out = append(out, string(h.event)+"/"+h.name)
	}
	return out
}

// stillTrusted checks again, because an agent can write files and so change a
// hook that would run later.
func (b *Bus) stillTrusted() error {
	hash, err := HashFolder(b.opts.ProjectDir)
	if err != nil {
		return err
	}
	if hash != b.trusted {
		return fmt.Errorf("%s has changed since you trusted it", b.opts.ProjectDir)
	}
	return nil
}
