package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/spf13/cobra"
)

func (a *app) sessionsCmd() *cobra.Command {
	var here, asJSON bool
	cmd := command(groupLook, "sessions", "List the sessions, newest first",
		"List the sessions of all projects, newest first. Only the two ends of each file\nare read; what cannot be read is reported and passed over.",
		"  coppice sessions\n  coppice sessions --here", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error {
			return a.sessions(cmd.Context(), here, asJSON)
		})
	cmd.Flags().BoolVar(&here, "here", false, "only those of this project")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// infoJSON is a member of `sessions --json` (spec/cli.md).
type infoJSON struct {
	ID           string  `json:"id"`
	File         string  `json:"file"`
	Cwd          string  `json:"cwd"`
	Name         *string `json:"name"`
	Created      *string `json:"created"`
	Modified     *string `json:"modified"`
	Bytes        int64   `json:"bytes"`
	FirstMessage string  `json:"firstMessage"`
}

func (a *app) sessions(ctx context.Context, here, asJSON bool) error {
	st, err := a.store()
	if err != nil {
		return err
	}
	listed := []infoJSON{}
	found := false
	for info, err := range st.List(ctx) {
		switch {
		case ctx.Err() != nil:
			return explain("sessions", ctx.Err())
		case err != nil:
			a.warn("%v", err)
			continue
		case here && info.Cwd != a.Dir:
			continue
		}
		found = true
		if asJSON {
			listed = append(listed, infoOf(info))
		} else {
			a.printInfo(info) // at once: there may be thousands
		}
	}
	switch {
	case asJSON:
		a.json(listed)
	case !found:
		a.say("there are no sessions below %s\n", st.Root())
	}
	return nil
}

func infoOf(i session.Info) infoJSON {
	out := infoJSON{ID: i.ID, File: i.Ref, Cwd: i.Cwd, Created: timeOf(i.Created), Modified: timeOf(i.Modified),
		Bytes: i.Bytes, FirstMessage: i.FirstMessage}
	if i.Name != nil && *i.Name != "" {
		out.Name = i.Name
	}
	return out
}

// timeOf is nil where a time is not known.
func timeOf(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := message.FormatTime(t)
	return &s
}

func (a *app) printInfo(i session.Info) {
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
}

// bytesText is a size for people.
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
