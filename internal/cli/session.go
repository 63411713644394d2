package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/settings"
)

// store is the store of session files.
func (a *app) store() (session.Store, error) {
	root, err := a.sessionRoot()
	if err != nil {
		return nil, err
	}
	return filestore.New(root, filestore.Options{Now: a.Now, Sync: a.settings().session.Sync}), nil
}

// sessionRoot is the folder of sessions: flag, environment or setting, else
// the default place (docs/format.md).
func (a *app) sessionRoot() (string, error) {
	if a.sessionDir != "" {
		return a.abs(a.sessionDir), nil
	}
	dir, err := settings.SessionDir(a.settings().session.Dir, a.Getenv)
	if err != nil {
		return "", &failure{Code: codeFailed, What: "sessions", Why: err.Error(), Try: "--session-dir DIR"}
	}
	return a.abs(dir), nil
}

func (a *app) home() string {
	if home := a.Getenv("HOME"); home != "" {
		return home
	}
	return a.Getenv("USERPROFILE")
}

func (a *app) abs(path string) string {
	if strings.HasPrefix(path, "~/") {
		path = filepath.Join(a.home(), path[2:])
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.Dir, path)
}

// openLog opens the log that SESSION names.
func (a *app) openLog(ctx context.Context, ref string, write bool) (session.Log, error) {
	st, err := a.store()
	if err != nil {
		return nil, err
	}
	if ref == "-" {
		if ref, err = a.latest(ctx, st); err != nil {
			return nil, err
		}
	} else if isPath(ref) {
		ref = a.abs(ref)
		info, err := os.Stat(ref)
		if err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket|os.ModeDevice) != 0 {
			return nil, &failure{Code: codeFailed, What: "open " + ref, Why: "not a file that can be read from its end", File: ref, Try: "a copy in a regular file"}
		}
		if err != nil {
			return nil, &failure{Code: codeFailed, What: "open " + ref, Why: plain(err), File: ref, Try: "coppice sessions lists the sessions there are"}
		}
	} else if _, err := os.Stat(a.abs(ref)); err == nil {
		ref = a.abs(ref)
	}
	log, err := st.Open(ctx, ref, session.Mode{Write: write, Force: a.force})
	if err != nil {
		return nil, explain("open "+ref, err)
	}
	a.opened = append(a.opened, opened{log, asked(ref, log)})
	return log, nil
}

// opened is a log, and the file that was asked for.
type opened struct {
	log  session.Log
	file string
}

func asked(ref string, log session.Log) string {
	if filepath.IsAbs(ref) {
		return ref
	}
	return log.Ref()
}

// tellSuccessors says where sessions of format 1 go on, once they are written
// to.
func (a *app) tellSuccessors(ctx context.Context) {
	for _, o := range a.opened {
		if next := o.log.Ref(); next != o.file && o.log.Header().ParentSession == o.file {
			a.warn("%s is of format 1 and stays as it is; its session goes on in %s", o.file, next)
		}
		problems, _ := o.log.Problems(ctx, false) // what is not known is not said
		for _, p := range problems {
			if p.Kind == problemContinued {
				a.warn("%s", visible(p.Detail))
			}
		}
	}
}

// open opens a session with the user's options, as changed by the arguments.
func (a *app) open(ctx context.Context, ref string, write bool, change ...func(*coppice.Options)) (*coppice.Session, error) {
	log, err := a.openLog(ctx, ref, write)
	if err != nil {
		return nil, err
	}
	return a.sessionOf(log, change...)
}

// sessionOf returns the session of a log. It warns the user if another program
// writes to it too.
func (a *app) sessionOf(log session.Log, change ...func(*coppice.Options)) (*coppice.Session, error) {
	o := a.options()
	for _, f := range change {
		f(&o)
	}
	s, err := coppice.New(log, o)
	if err != nil {
		log.Close()
		return nil, explain("open "+log.Ref(), err)
	}
	s.OnForeign(func(foreign []*session.Entry, joined bool) {
		n := len(foreign)
		where := "they are on a separate branch"
		if joined {
			where = "the session goes on after them"
		}
		a.warn("another program appended %s meanwhile; %s (leaf %s)", count(n, "entry", "entries"), where, visible(foreign[n-1].ID))
	})
	return s, nil
}

// latest returns the newest session of this project.
func (a *app) latest(ctx context.Context, st session.Store) (string, error) {
	for info, err := range st.List(ctx) {
		if err == nil && info.Cwd == a.Dir {
			return info.Ref, nil
		}
	}
	return "", &failure{Code: codeFailed, What: "open -", Why: "there is no session of " + a.Dir, Try: "coppice sessions lists the sessions there are"}
}

// isPath tells a path from an id.
func isPath(ref string) bool {
	return strings.ContainsAny(ref, `/\`) || strings.HasSuffix(ref, ".jsonl")
}

// plain returns the reason in an operating system's error, without the path.
func plain(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// entryOf finds an entry by id or by the beginning of one.
func entryOf(ctx context.Context, s *coppice.Session, id string) (*session.Entry, error) {
	id = strings.TrimPrefix(id, "en:")
	e, err := s.Log().Find(ctx, id, -1)
	if err == nil {
		return e, nil
	}
	var found []*session.Entry
	var names []string
	for e, err := range s.Log().All(ctx) {
		if err != nil {
			return nil, explain("read "+s.Ref(), err)
		}
		if id != "" && strings.HasPrefix(e.ID, id) {
			found, names = append(found, e), append(names, e.ID)
		}
	}
	switch len(found) {
	case 0:
		return nil, explain("entry "+id, fmt.Errorf("%w in %s", session.ErrNotFound, s.Ref()))
	case 1:
		return found[0], nil
	}
	return nil, explain("entry "+id, &session.AmbiguousError{Prefix: id, Candidates: names})
}
