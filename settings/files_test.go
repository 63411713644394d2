package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/settings"
)

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLoadSetTrust(t *testing.T) {
	config, proj := t.TempDir(), t.TempDir()
	o := settings.Options{Project: proj, Getenv: env("COPPICE_CONFIG_DIR", config)}
	s, problems := load(o)
	if len(problems) > 0 || s.Project != nil {
		t.Fatalf("nothing there: %+v, %v", s.Project, problems)
	}
	paths, err := settings.PathsOf(o.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	if err := settings.Set(paths.Settings, "retry.maxRetries", "9", all()...); err != nil {
		t.Fatal(err)
	}
	write(t, settings.ProjectPath(proj), `{"model":"p/m","retry":{"baseDelayMs":1}}`)
	s, problems = load(o)
	if len(problems) > 0 || *s.Config.Retry.Max != 9 || s.Config.Retry.BaseDelay != time.Millisecond || s.Config.Model != "" || !slices.Equal(s.Project.Ignored, []string{"model"}) {
		t.Errorf("%+v %+v %v", s, s.Project, problems)
	}
	if err := settings.Trust(o, s.Project.Path, s.Project.Hash); err != nil {
		t.Fatal(err)
	}
	if s, _ = load(o); s.Config.Model != "p/m" {
		t.Error("a trusted file does not count")
	}
	if err := settings.Set(settings.ProjectPath(proj), "model", "p/other", all()...); err != nil {
		t.Fatal(err)
	}
	if s, _ = load(o); s.Config.Model != "" {
		t.Error("a changed file counts")
	}
	write(t, filepath.Join(config, "trust.json"), "{")
	s, problems = load(o)
	if len(problems) != 1 || s.Project.Trusted {
		t.Errorf("broken trust file: %v", problems)
	}
	if err := settings.Trust(o, s.Project.Path, s.Project.Hash); err == nil {
		t.Error("a broken trust file was overwritten")
	}
}

func TestBrokenFilesDoNotStopLoading(t *testing.T) {
	config, proj := t.TempDir(), t.TempDir()
	write(t, filepath.Join(config, "settings.json"), "{ \"model\": ")
	if err := os.MkdirAll(settings.ProjectPath(proj), 0o700); err != nil { // a folder in the file's place
		t.Fatal(err)
	}
	s, problems := load(settings.Options{Project: proj, Getenv: env("COPPICE_CONFIG_DIR", config, "COPPICE_MODEL", "e/m")})
	if len(problems) != 2 || s.Config.Model != "e/m" || *s.Compaction.ReserveTokens != 16384 {
		t.Errorf("%+v, %v", s, problems)
	}
	_, problems = load(settings.Options{Getenv: env(), ReadFile: func(string) ([]byte, error) { return nil, errors.New("disk on fire") }})
	if len(problems) != 1 {
		t.Errorf("no home folder: %v", problems)
	}
	_, problems = load(settings.Options{Getenv: env("HOME", "/h"), ReadFile: func(string) ([]byte, error) { return nil, errors.New("disk on fire") }})
	if len(problems) != 1 || problems[0].Detail != "cannot be read: disk on fire" {
		t.Error(problems)
	}
}

func TestSetKeepsLinksAndMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs Unix links and modes")
	}
	dir := t.TempDir()
	real, link := filepath.Join(dir, "dotfiles", "s.json"), filepath.Join(dir, "settings.json")
	write(t, real, "{}")
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if err := settings.Set(link, "model", "a/b", all()...); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", fi, err)
	}
	if fi, err := os.Stat(real); err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	fresh := filepath.Join(dir, "new", "settings.json")
	if err := settings.Set(fresh, "model", "a/b", all()...); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(fresh); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	if err := settings.Set(fresh, "modle", "a/b", all()...); err == nil || err.Error() != fresh+": modle is not a known key (did you mean model?)" {
		t.Error(err)
	}
}

func TestPlaces(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs Unix paths")
	}
	tests := []struct {
		env              func(string) string
		dir              string
		config, sessions string
	}{
		{env("HOME", "/h"), "", "/h/.config/coppice", "/h/.local/share/coppice/sessions"},
		{env("HOME", "/h", "XDG_CONFIG_HOME", "/c", "XDG_DATA_HOME", "/d"), "", "/c/coppice", "/d/coppice/sessions"},
		{env("HOME", "/h", "XDG_CONFIG_HOME", "rel"), "", "/h/.config/coppice", "/h/.local/share/coppice/sessions"},
		{env("HOME", "/h", "COPPICE_CONFIG_DIR", "/x"), "/s", "/x", "/s"},
		{env("HOME", "/h", "COPPICE_CONFIG_DIR", "~/x"), "~/s", "/h/x", "/h/s"},
		{env("APPDATA", "/a", "LOCALAPPDATA", "/l", "USERPROFILE", "/u"), "", "/a/coppice", "/l/coppice/sessions"},
	}
	for _, tt := range tests {
		config, err := settings.PathsOf(tt.env)
		sessions, err2 := settings.SessionDir(tt.dir, tt.env)
		if err != nil || err2 != nil || config.Dir != tt.config || sessions != tt.sessions {
			t.Errorf("got %+v and %s (%v, %v), want %s and %s", config, sessions, err, err2, tt.config, tt.sessions)
		}
	}
	if _, err := settings.PathsOf(env()); err == nil {
		t.Error("no error without a home folder")
	}
}
