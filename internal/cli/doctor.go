package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/settings"
)

func (a *app) doctorCmd() *cobra.Command {
	var asJSON bool
	cmd := command(groupSetup, "doctor", "Check that everything is in place",
		"Check folders, permissions, settings, keys and the default model. Nothing is\nsent over the network, and keys are named but never shown.",
		"  coppice doctor", cobra.NoArgs,
		func(*cobra.Command, []string) error { return a.doctor(asJSON) })
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// doctorJSON is the shape of `doctor --json` (docs/cli.md).
type doctorJSON struct {
	OK     bool        `json:"ok"`
	Checks []checkItem `json:"checks"`
}

type checkItem struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

func (a *app) doctor(asJSON bool) error {
	out := doctorJSON{OK: true, Checks: []checkItem{
		{"version", true, a.Version},
		a.checkConfig(), a.checkSettings(), a.checkSessions(), a.checkKeys(), a.checkModel(), checkTemp(os.TempDir()), a.checkTerminal(),
	}}
	for _, c := range out.Checks {
		out.OK = out.OK && c.OK
	}
	if asJSON {
		a.json(out)
	} else {
		a.printDoctor(out)
	}
	if !out.OK {
		return codeProblems
	}
	return nil
}

func (a *app) printDoctor(d doctorJSON) {
	var rows [][]string
	for _, c := range d.Checks {
		mark := "✓"
		if !c.OK {
			mark = "✗"
		}
		rows = append(rows, []string{mark, c.Name, c.Detail})
	}
	a.table([]column{{color: "78"}, {}, {color: dim}}, rows)
}

func (a *app) checkConfig() checkItem {
	paths, err := settings.PathsOf(a.Getenv)
	if err != nil {
		return checkItem{"config folder", false, err.Error()}
	}
	return folder("config folder", paths.Dir)
}

func (a *app) checkSessions() checkItem {
	dir, err := a.sessionRoot()
	if err != nil {
		return checkItem{"session folder", false, err.Error()}
	}
	return folder("session folder", dir)
}

// checkSettings loads the settings again, because here the problems are the
// result.
func (a *app) checkSettings() checkItem {
	s, problems := loadConfig(a.settingsFiles())
	if a.loaded == nil {
		a.loaded = s
	}
	if len(problems) > 0 {
		texts := make([]string, len(problems))
		for i, p := range problems {
			texts[i] = p.Error()
		}
		return checkItem{"settings", false, strings.Join(texts, "; ")}
	}
	detail := "no problems"
	if p := s.Project; p != nil && len(p.Ignored) > 0 {
		detail = strings.Join(p.Ignored, ", ") + " of the project have no effect until you trust them: coppice settings trust"
	}
	return checkItem{"settings", true, detail}
}

func (a *app) checkKeys() checkItem {
	keys := provider.NewRegistry(a.settings().models, a.Getenv).Keys()
	if len(keys) == 0 {
		return checkItem{"keys", true, "none; summaries are made by extraction, on this machine"}
	}
	return checkItem{"keys", true, join(keys)}
}

func (a *app) checkModel() checkItem {
	name := a.settings().models.Model
	if name == "" {
		var ok bool
		if name, ok = provider.NewRegistry(a.settings().models, a.Getenv).Default(); !ok {
			return checkItem{"default model", true, "not set: coppice settings set model " + cmp.Or(name, "provider/id")}
		}
	}
	maker, id, _ := strings.Cut(name, "/")
	m := a.catalog().Lookup(maker, id)
	detail := name + ", window " + window(m)
	if m.WindowSource == provider.WindowDefault {
		detail += "; the window of this model is not known: set providers." + maker + ".models with its contextWindow"
	}
	return checkItem{"default model", m.WindowSource != provider.WindowDefault, detail}
}

func (a *app) checkTerminal() checkItem {
	if !a.Terminal {
		return checkItem{"terminal", true, "output goes to a file or program; no colours"}
	}
	detail := fmt.Sprintf("%s, %d columns", a.Getenv("TERM"), a.Width)
	if a.Getenv("NO_COLOR") != "" {
		detail += ", no colours (NO_COLOR)"
	}
	return checkItem{"terminal", true, detail}
}

// folder checks that a folder is private to the user and can be written to, or
// can be created.
func folder(name, dir string) checkItem {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		parent := nearestFolder(dir)
		if err := tryWriting(parent); err != nil {
			return checkItem{name, false, dir + " does not exist and cannot be created: " + err.Error()}
		}
		return checkItem{name, true, dir + " (created when needed)"}
	case err != nil:
		return checkItem{name, false, err.Error()}
	case !info.IsDir():
		return checkItem{name, false, dir + " is a file"}
	}
	if err := tryWriting(dir); err != nil {
		return checkItem{name, false, dir + " cannot be written to: " + err.Error()}
	}
	if others := info.Mode().Perm() & 0o077; others != 0 && filepath.Separator == '/' {
		return checkItem{name, false, fmt.Sprintf("%s can be read by others (mode %#o): chmod 700 %s", dir, info.Mode().Perm(), dir)}
	}
	return checkItem{name, true, dir}
}

// nearestFolder returns the first folder above a path that exists.
func nearestFolder(path string) string {
	for parent := filepath.Dir(path); ; parent = filepath.Dir(parent) {
		if _, err := os.Stat(parent); err == nil || parent == filepath.Dir(parent) {
			return parent
		}
	}
}

func checkTemp(dir string) checkItem {
	if err := tryWriting(dir); err != nil {
		return checkItem{"temporary files", false, err.Error()}
	}
	return checkItem{"temporary files", true, dir}
}

// tryWriting makes a file in a folder and removes it.
func tryWriting(dir string) error {
	f, err := os.CreateTemp(dir, ".coppice-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
