package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/session"
	"github.com/spf13/cobra"
)

// sessionsFlags are the filters and the order of sessions.
type sessionsFlags struct {
	here, named bool
	grep        string
	since       string
	sort        string
	limit       int
	json        bool

	after time.Time // since, parsed
}

// The orders of sessions.
var sessionOrders = []string{"modified", "created", "size", "name"}

func (a *app) sessionsCmd() *cobra.Command {
	var f sessionsFlags
	cmd := command(groupLook, "sessions", "List the sessions, newest first",
		`List the sessions of all projects, newest first, each with what it is about now and
whether that is done. Only the two ends of each file are read; what cannot be read is
reported and skipped.`,
		"  coppice sessions\n  coppice sessions --here --named\n  coppice sessions --grep invoice --sort size", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return a.sessions(cmd.Context(), f)
		})
	fl := cmd.Flags()
	fl.BoolVar(&f.here, "here", false, "only those of this project")
	fl.BoolVar(&f.named, "named", false, "only those that have a name")
	fl.StringVar(&f.grep, "grep", "", "only those whose name, first message, folder or id contains this")
	fl.StringVar(&f.since, "since", "", "only those used on or after this day (2026-01-31)")
	fl.StringVar(&f.sort, "sort", "modified", "modified, created, size or name")
	fl.IntVar(&f.limit, "limit", 0, "maximum number of sessions (default: all)")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(sessionOrders, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check parses the flags that have a format.
func (f *sessionsFlags) check() error {
	if !slices.Contains(sessionOrders, f.sort) {
		return usagef("--sort %s: one of %s", f.sort, join(sessionOrders))
	}
	if f.limit < 0 {
		return usagef("--limit %d: not a number of sessions", f.limit)
	}
	if f.since == "" {
		return nil
	}
	day, err := time.ParseInLocation(time.DateOnly, f.since, time.Local)
	if err != nil {
		return usagef("--since %s: not a day like 2026-01-31", f.since)
	}
	f.after = day
	return nil
}

// wants reports whether a session passes the filters.
func (f *sessionsFlags) wants(i session.Info, dir string) bool {
	named := i.Name != nil && *i.Name != ""
	switch {
	case f.here && i.Cwd != dir, f.named && !named, i.Modified.Before(f.after):
		return false
	case f.grep == "":
		return true
	}
	text := strings.Join([]string{i.ID, i.Cwd, i.FirstMessage}, "\n")
	if named {
		text += "\n" + *i.Name
	}
	return strings.Contains(strings.ToLower(text), strings.ToLower(f.grep))
}

// compare is the order that --sort names: newest, largest or alphabetically
// first.
func (f *sessionsFlags) compare(x, y session.Info) int {
	name := func(i session.Info) string {
		if i.Name != nil && *i.Name != "" {
			return strings.ToLower(*i.Name)
		}
		return strings.ToLower(i.FirstMessage)
	}
	switch f.sort {
	case "created":
		return y.Created.Compare(x.Created)
	case "size":
		return cmp.Compare(y.Bytes, x.Bytes)
	case "name":
		return strings.Compare(name(x), name(y))
	}
	return y.Modified.Compare(x.Modified)
}

// infoJSON is a member of `sessions --json` (docs/cli.md).
type infoJSON struct {
	ID           string  `json:"id"`
	File         string  `json:"file"`
	Cwd          string  `json:"cwd"`
	Name         *string `json:"name"`
	Created      *string `json:"created"`
	Modified     *string `json:"modified"`
	Bytes        int64   `json:"bytes"`
	FirstMessage string  `json:"firstMessage"`
	State        *string `json:"state"`
	Open         *bool   `json:"open"`
}

func (a *app) sessions(ctx context.Context, f sessionsFlags) error {
	root, err := a.sessionRoot()
	if err != nil {
		return err
	}
	st, err := a.store()
	if err != nil {
		return err
	}
	atOnce := !f.json && f.sort == "modified" // the store already lists in this order, and there may be thousands
	var found []session.Info
	n, others := 0, 0
	for info, err := range st.List(ctx) {
		switch {
		case ctx.Err() != nil:
			return explain("sessions", ctx.Err())
		case err != nil:
			a.warn("%v", err)
			continue
		case !f.wants(info, a.Dir):
			others++
			continue
		}
		if n++; !atOnce {
			found = append(found, info)
			continue
		}
		if a.printInfo(info, a.nowOf(ctx, st, info.Ref)); n == f.limit {
			return nil
		}
	}
	slices.SortStableFunc(found, f.compare)
	if f.limit > 0 && len(found) > f.limit {
		found = found[:f.limit]
	}
	if f.json {
		listed := []infoJSON{}
		for _, info := range found {
			listed = append(listed, infoOf(info, a.nowOf(ctx, st, info.Ref)))
		}
		a.json(listed)
		return nil
	}
	for _, info := range found {
		a.printInfo(info, a.nowOf(ctx, st, info.Ref))
	}
	switch {
	case n > 0:
	case others > 0 && f.here:
		a.say("no session of %s matches; there are %s of other projects or kinds below %s\n", a.Dir, count(others, "session", "sessions"), root)
	case others > 0:
		a.say("no session matches; there are %s below %s\n", count(others, "session", "sessions"), root)
	default:
		a.say("there are no sessions below %s\n", root)
	}
	return nil
}

func infoOf(i session.Info, n now) infoJSON {
	out := infoJSON{ID: i.ID, File: i.Ref, Cwd: i.Cwd, Created: timeOf(i.Created), Modified: timeOf(i.Modified),
		Bytes: i.Bytes, FirstMessage: i.FirstMessage, Open: n.open}
	if n.line != "" {
		out.State = &n.line
	}
	if i.Name != nil && *i.Name != "" {
		out.Name = i.Name
	}
	return out
}

// timeOf returns nil if a time is not known.
func timeOf(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.UTC().Format("2006-01-02T15:04:05.000Z")
	return &s
}

func (a *app) printInfo(i session.Info, n now) {
	title := i.FirstMessage
	if i.Name != nil && *i.Name != "" {
		title = *i.Name
	}
	when := "unknown         "
	if !i.Modified.IsZero() {
		when = i.Modified.Local().Format("2006-01-02 15:04")
	}
	cwd := short(cmp.Or(i.Cwd, "-"), 32)
	a.say("%s  %s  %8s  %s  %s\n", i.ID, when, bytesText(i.Bytes), a.paint(dim, pad(cwd, 32)), short(title, a.previewWidth()))
	a.sayNow(n, "    ", a.previewWidth()+32)
}

// bytesText formats a size for people.
func bytesText(n int64) string {
	const kb, mb = 1 << 10, 1 << 20
	switch {
	case n >= mb:
		return fmt.Sprintf("%.1f MB", float64(n)/mb)
	case n >= kb:
		return fmt.Sprintf("%d KB", n/kb)
	}
	return fmt.Sprintf("%d B", n)
}
