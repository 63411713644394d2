package cli

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/settings"
)

func (a *app) settingsTrustCmd() *cobra.Command {
	var plan bool
	cmd := command("", "trust", "Trust this project's settings and hooks",
		`Show what in this project may send text elsewhere or run programs, and trust it:
the marked keys of its settings file (providers, models, endpoints, permissions,
hooks, patterns of secrets) and the programs in .coppice/hooks. Trust covers what
they contain now: when the file or anything in the folder changes, it has to be
trusted again.`,
		"  coppice settings trust --plan\n  coppice settings trust", cobra.NoArgs, func(*cobra.Command, []string) error { return a.trust(plan) })
	cmd.Flags().BoolVar(&plan, "plan", false, "show what would be trusted, trust nothing")
	return cmd
}

// trustable is a part of a project that has no effect until it is trusted.
type trustable struct {
	path, hash string
	trusted    bool
	effect     string   // what trusting it allows
	parts      []string // what takes effect then, a line each
}

func (a *app) trust(plan bool) error {
	all, err := a.trustables()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return &failure{Code: codeFailed, What: "trust", Why: "there is no " + settings.ProjectPath(a.Dir) + ", and no hook in " + a.projectHooks()}
	}
	for _, t := range all {
		switch {
		case t.trusted:
			a.say("%s is already trusted\n", t.path)
		case plan:
			a.say("%s is not trusted\n", t.path)
		default:
			if err := settings.Trust(settings.Options{Getenv: a.Getenv}, t.path, t.hash); err != nil {
				return explain("trust "+t.path, err)
			}
			a.say("trusted %s in its present state\n", t.path)
		}
		if len(t.parts) > 0 {
			a.say("%s:\n  %s\n", t.effect, visible(strings.Join(t.parts, "\n  ")))
		}
	}
	return nil
}

// trustables are the project's settings file and its hook folder, if they
// exist.
func (a *app) trustables() ([]trustable, error) {
	var out []trustable
	if f := a.settings().Project; f != nil {
		out = append(out, trustable{f.Path, f.Hash, f.Trusted, "these keys take effect when it is trusted", a.guardedKeys(f)})
	}
	hash, err := hook.HashFolder(a.projectHooks())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return out, nil
	case err != nil:
		return nil, explain("trust", err)
	}
	bus := hook.New(hook.Options{Dir: a.Dir, ProjectDir: a.projectHooks(), Trusted: func(h string) bool { return h == hash }, Report: a.hookFailed})
	var programs []string
	for _, p := range bus.Programs() {
		programs = append(programs, string(p.Event)+"/"+p.Name)
	}
	if len(programs) > 0 {
		out = append(out, trustable{a.projectHooks(), hash, a.trustsHooks(hash), "these programs run when it is trusted", programs})
	}
	return out, nil
}

// guardedKeys returns the keys of a project's file that need trust, with their
// values. If the file has changed meanwhile, the trust will not match anyway.
func (a *app) guardedKeys(f *settings.ProjectFile) []string {
	data, err := readRegular(f.Path)
	if err != nil || settings.ContentHash(data) != f.Hash {
		return nil
	}
	file := settings.File{Path: f.Path, Data: data}
	before, _ := settings.Resolve(settings.Input{Project: file}, new(config).parts()...)
	after, _ := settings.Resolve(settings.Input{Project: file, Trusted: true}, new(config).parts()...)
	guarded := func(key string) bool {
		return slices.ContainsFunc(before.Project.Ignored, func(k string) bool {
			return key == k || strings.HasPrefix(key, k+".") || strings.HasPrefix(key, k+"[")
		})
	}
	var out []string
	for _, r := range after.Keys {
		if guarded(r.Key) {
			out = append(out, r.Key+" = "+string(r.Value))
		}
	}
	return out
}
