package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/settings"
)

// hooks are the programs to ask: those of the settings, and of the user's and
// the project's folders. A hook's failure is printed to standard error.
func (a *app) hooks() *hook.Bus {
	if a.bus == nil {
		o := hook.Options{Dir: a.Dir, ProjectDir: a.projectHooks(), Programs: a.namedHooks(), Mask: a.masker(), Report: a.hookFailed, Trusted: a.trustsHooks}
		if paths, err := settings.PathsOf(a.Getenv); err == nil {
			o.UserDir = filepath.Join(paths.Dir, "hooks")
		}
		a.bus = hook.New(o)
	}
	return a.bus
}

// projectHooks is the folder of the project's hooks, or "" if there is no
// project.
func (a *app) projectHooks() string {
	if a.Dir == "" {
		return ""
	}
	return filepath.Join(a.Dir, ".coppice", "hooks")
}

// namedHooks are the hooks of the settings.
func (a *app) namedHooks() []hook.Program {
	var out []hook.Program
	for _, e := range hook.Events() {
		for _, h := range a.settings().hooks.Hooks[e] {
			h.Event, h.Command = e, slices.Clone(h.Command)
			if strings.HasPrefix(h.Command[0], "~/") {
				h.Command[0] = a.abs(h.Command[0])
			}
			out = append(out, h)
		}
	}
	return out
}

// trustsHooks reports whether the user trusts the project's hook folder with
// this content.
func (a *app) trustsHooks(hash string) bool {
	ok, err := settings.Trusted(settings.Options{Getenv: a.Getenv}, a.projectHooks(), hash)
	if err != nil {
		a.warn("trust: %v", err)
	}
	return ok
}

// hookFailed tells the user about a hook that failed.
func (a *app) hookFailed(err error) {
	var untrusted *hook.Untrusted
	if errors.As(err, &untrusted) {
		a.warn("hooks: %s in %s do not run until you trust them: coppice settings trust", strings.Join(untrusted.Programs, ", "), untrusted.Dir)
		return
	}
	a.warn("%s", visible(err.Error()))
}

// informHooks informs hooks of what has happened, even if the command was
// interrupted. The hooks' own time limits end it.
func (a *app) informHooks(ctx context.Context, n hook.Notice) {
	_ = a.hooks().Inform(context.WithoutCancel(ctx), n) // fails only with ctx
}

// locked is a writer that several goroutines can share.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
