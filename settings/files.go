package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/coppice-dev/coppice/internal/fsx"
)

// Options say where to look for settings. The zero value means the process's
// environment, the disk and no project.
type Options struct {
	Project  string                            // the project's folder; "": none
	Flags    []Flag                            // from the command line
	Getenv   func(string) string               // nil: os.Getenv
	ReadFile func(name string) ([]byte, error) // nil: os.ReadFile
}

func (o Options) getenv() func(string) string {
	if o.Getenv != nil {
		return o.Getenv
	}
	return os.Getenv
}

// read returns nil data for a missing file.
func (o Options) read(name string) ([]byte, error) {
	readFile := o.ReadFile
	if readFile == nil {
		readFile = os.ReadFile
	}
	data, err := readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && data == nil {
		data = []byte{} // it exists but is empty
	}
	return data, err
}

// Load reads all layers into the parts; see Resolve. A missing file changes
// nothing.
func Load(o Options, parts ...Part) (*Result, []Problem) {
	in := Input{Getenv: o.getenv(), Flags: o.Flags}
	var problems []Problem
	load := func(path string, layer Layer) File {
		data, err := o.read(path)
		if err != nil {
			problems = append(problems, Problem{Source: Source{layer, path}, Detail: fmt.Sprintf("cannot be read: %v", err)})
			return File{}
		}
		return File{Path: path, Data: data}
	}
	dir, err := configDir(o.getenv())
	if err != nil {
		problems = append(problems, Problem{Source: Source{layerUser, fileName}, Detail: err.Error()})
	} else {
		in.User = load(filepath.Join(dir, fileName), layerUser)
	}
	if o.Project != "" {
		in.Project = load(ProjectPath(o.Project), layerProject)
	}
	if dir != "" && in.Project.Data != nil {
		trusted, err := Trusted(o, in.Project.Path, ContentHash(in.Project.Data))
		if err != nil {
			problems = append(problems, Problem{Source: Source{layerUser, filepath.Join(dir, trustName)}, Detail: err.Error()})
		}
		in.Trusted = trusted
	}
	r, more := Resolve(in, parts...)
	return r, append(problems, more...)
}

// Trusted reports whether the user trusts a file or folder of a project with
// this content hash.
func Trusted(o Options, path, hash string) (bool, error) {
	_, t, err := o.trust()
	return err == nil && t.Trusted[trustKey(path)] == hash, err
}

// Trust remembers that the user trusts the content hash of a project's file,
// or of a folder of hooks. The trust ends when the content changes. The hash
// is the one of what the user was shown: ProjectFile.Hash for the file.
func Trust(o Options, path, hash string) error {
	name, t, err := o.trust()
	if err != nil {
		return fmt.Errorf("trust: %s %w", name, err)
	}
	t.Trusted[trustKey(path)] = hash
	return replaceFile(name, t.encode())
}

// trust reads the file that records what is trusted.
func (o Options) trust() (name string, t trustFile, err error) {
	dir, err := configDir(o.getenv())
	if err != nil {
		return trustName, t, err
	}
	name = filepath.Join(dir, trustName)
	data, err := o.read(name)
	if err != nil {
		return name, t, fmt.Errorf("cannot be read: %w", err)
	}
	t, err = parseTrust(data)
	return name, t, err
}

// Set changes one key in a settings file, which is created if necessary and
// replaced atomically; comments and layout stay. The key may name a part of a
// setting: providers.local.baseUrl. Texts are written without quotes, other
// values as JSON; null restores the default. The error is a Problem if the
// key or the value is wrong.
func Set(path, key, value string, parts ...Part) error {
	data, err := (Options{}).read(path)
	if err != nil {
		return fmt.Errorf("set %s: %w", key, err)
	}
	out, err := edit(data, key, value, parts...)
	var p Problem
	if errors.As(err, &p) {
		p.Source.Name = path
		return p
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return replaceFile(path, out)
}

// replaceFile writes through symbolic links, because people use them to keep
// their settings elsewhere. Only the user can read a new file, because it may
// contain keys.
func replaceFile(path string, data []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := fsx.Replace(fsx.OS{}, path, data, 0o600); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}

// Names of the files.
const (
	fileName   = "settings.json"
	trustName  = "trust.json"
	limitsName = "windows.json"
)

// ProjectPath returns the path of a project's settings file.
func ProjectPath(project string) string { return filepath.Join(project, ".coppice", fileName) }

// Paths are the user's places.
type Paths struct {
	Dir      string // of what follows, and of hooks
	Settings string // the file of settings
	Limits   string // the file of limits learned from refusals (provider.OpenLimits)
}

// PathsOf returns the user's places: in COPPICE_CONFIG_DIR, else in coppice below
// XDG_CONFIG_HOME, the application data of Windows, or ~/.config.
func PathsOf(getenv func(string) string) (Paths, error) {
	dir, err := configDir(getenv)
	if err != nil {
		return Paths{}, err
	}
	return Paths{Dir: dir, Settings: filepath.Join(dir, fileName), Limits: filepath.Join(dir, limitsName)}, nil
}

func configDir(getenv func(string) string) (string, error) {
	if dir := getenv("COPPICE_CONFIG_DIR"); dir != "" {
		return expandHome(dir, getenv), nil
	}
	return below(getenv, "XDG_CONFIG_HOME", "APPDATA", ".config")
}

// SessionDir returns the folder of the session files: the setting session.dir,
// else coppice/sessions below XDG_DATA_HOME, the application data of Windows,
// or ~/.local/share.
func SessionDir(setting string, getenv func(string) string) (string, error) {
	if setting != "" {
		return expandHome(setting, getenv), nil
	}
	dir, err := below(getenv, "XDG_DATA_HOME", "LOCALAPPDATA", filepath.Join(".local", "share"))
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "sessions"), nil
}

// below returns the folder coppice in the first base that is set. Relative XDG
// folders are ignored, as the specification says.
func below(getenv func(string) string, xdg, windows, inHome string) (string, error) {
	if base := getenv(xdg); filepath.IsAbs(base) {
		return filepath.Join(base, "coppice"), nil
	}
	if base := getenv(windows); base != "" {
		return filepath.Join(base, "coppice"), nil
	}
	if home := home(getenv); home != "" {
		return filepath.Join(home, inHome, "coppice"), nil
	}
	return "", fmt.Errorf("the home folder is not known: set HOME, %s or COPPICE_CONFIG_DIR", xdg)
}

func home(getenv func(string) string) string {
	if h := getenv("HOME"); h != "" {
		return h
	}
	return getenv("USERPROFILE")
}

// expandHome replaces a leading ~ by the home folder.
func expandHome(path string, getenv func(string) string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if ok && (rest == "" || os.IsPathSeparator(rest[0])) && home(getenv) != "" {
		return filepath.Join(home(getenv), rest)
	}
	return path
}

// trustKey returns the form of a path under which trust is stored.
func trustKey(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.ToSlash(path)
}
