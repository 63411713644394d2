package cli

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
)

// forkFlags are the flags of fork and clone.
type forkFlags struct {
	before, json bool
	out          string
}

func (a *app) forkCmd() *cobra.Command {
	var f forkFlags
	cmd := command(groupLook, "fork SESSION ENTRY", "Start a new session that continues from an entry",
		`Write a new session with the path up to and including ENTRY, and no other
branch. Entries keep their ids, and those that survive keep their labels. The old
session is not changed and is named as the parent of the new one. A hook may
cancel the fork, or add a summary of what the new session leaves out.

With --before the new session ends before ENTRY; if that is a prompt, its text
is printed, to be changed and sent again.`,
		"  coppice fork - 4f1c0a9b22d3e871\n  coppice fork work.jsonl 4f1c --before -o another.jsonl", cobra.ExactArgs(2),
		func(cmd *cobra.Command, args []string) error {
			return a.fork(cmd.Context(), args[0], args[1], f)
		})
	cmd.Flags().BoolVar(&f.before, "before", false, "end before the entry")
	f.register(cmd)
	return cmd
}

func (a *app) cloneCmd() *cobra.Command {
	var f forkFlags
	cmd := command(groupLook, "clone SESSION", "Copy the conversation into a new session",
		"Write a new session with the active path and no other branch: a fork at the leaf.",
		"  coppice clone -", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			return a.fork(cmd.Context(), args[0], "", f)
		})
	f.register(cmd)
	return cmd
}

func (f *forkFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "file of the new session (default: among the sessions of its project)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
}

// forkJSON is the shape of `fork --json` and `clone --json`.
type forkJSON struct {
	Session       string  `json:"session"`
	File          string  `json:"file"`
	ParentSession string  `json:"parentSession"`
	LeafID        *string `json:"leafId"`
	Entries       int     `json:"entries"`
	EditorText    string  `json:"editorText,omitempty"`
}

// fork writes the path to an entry ("": the leaf) as a new session.
func (a *app) fork(ctx context.Context, ref, entry string, f forkFlags) error {
	s, err := a.open(ctx, ref, false)
	if err != nil {
		return err
	}
	defer s.Close()
	at, text, err := forkAt(ctx, s, entry, f.before)
	if err != nil {
		return err
	}
	last := at
	if f.before {
		if last, err = s.Log().Parent(ctx, at); err != nil {
			return explain("read "+s.Ref(), err)
		}
	}
	summary, err := a.askFork(ctx, s, last)
	if err != nil {
		return err
	}
	var out forkJSON
	var path string
	h, err := s.ForkTo(ctx, at, f.before, func(h session.Header, entries iter.Seq2[*session.Entry, error]) error {
		if path, err = a.placeOf(ctx, h, f.out); err != nil {
			return err
		}
		out = forkJSON{Session: h.ID, File: path, ParentSession: s.Ref(), EditorText: text}
		return filestore.WriteCopy(ctx, path, h, func(yield func(*session.Entry, error) bool) {
			for e, err := range entries {
				if err == nil {
					out.Entries++
					out.LeafID = &e.ID
				}
				if !yield(e, err) {
					return
				}
			}
		})
	})
	if err != nil {
		return explain("write "+path, err)
	}
	if err := filestore.CopySide(ctx, s.Ref(), path); err != nil {
		return explain("write "+path, err)
	}
	if summary != nil {
		e, err := a.appendTo(ctx, path, *summary)
		if err != nil {
			return explain("write "+path, err)
		}
		out.Entries++
		out.LeafID = &e.ID
	}
	a.informHooks(ctx, hook.Lifecycle{Envelope: hook.EnvelopeOf(h, path), Name: hook.EventFork})
	a.printFork(out, f.json)
	return nil
}

// askFork lets hooks cancel a fork, or bring a summary of what the fork leaves
// out. The summary goes to the fork's leaf (docs/branches.md).
func (a *app) askFork(ctx context.Context, s *coppice.Session, at *session.Entry) (*session.Draft, error) {
	e := hook.BeforeFork{Envelope: hook.EnvelopeOf(s.Log().Header(), s.Ref())}
	if at != nil {
		e.EntryID = at.ID
	}
	answer, err := a.hooks().BeforeFork(ctx, e)
	switch {
	case err != nil:
		return nil, explain("fork", err)
	case answer.Cancel:
		return nil, &failure{Code: codeFailed, What: "fork", Why: visible(answer.Why)}
	case answer.Summary == nil:
		return nil, nil
	}
	leaf, err := s.Leaf(ctx)
	if err != nil || leaf == nil {
		return nil, explain("read "+s.Ref(), err)
	}
	d := session.BranchSummaryDraft(&session.BranchSummary{FromID: leaf.ID, Summary: a.masker()(answer.Summary.Text), FromHook: true,
		Details: answer.Summary.Details})
	return &d, nil
}

// appendTo adds an entry to a session that we wrote.
func (a *app) appendTo(ctx context.Context, path string, d session.Draft) (*session.Entry, error) {
	log, err := a.openLog(ctx, path, true)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	entries, err := session.New(log, session.Options{Now: a.Now}).Append(ctx, d)
	if err != nil {
		return nil, err
	}
	return entries[0], nil
}

// forkAt finds the last entry of a fork (nil: there is none), and the text of
// the prompt that the fork ends before.
func forkAt(ctx context.Context, s *coppice.Session, entry string, before bool) (*session.Entry, string, error) {
	if entry == "" {
		leaf, err := s.Leaf(ctx)
		return leaf, "", explain("read "+s.Ref(), err)
	}
	at, err := entryOf(ctx, s, entry)
	if err != nil || !before {
		return at, "", err
	}
	m, err := at.Message()
	if err != nil {
		return nil, "", explain("read "+s.Ref(), err)
	}
	if m != nil && (m.Role == message.RoleUser || m.Role == message.RoleCustom) {
		return at, m.Text(""), nil
	}
	return at, "", nil
}

// placeOf returns where a new session is written: the requested file, or its
// place in the store, whose folder it creates.
func (a *app) placeOf(ctx context.Context, h session.Header, out string) (string, error) {
	if out != "" {
		return a.abs(out), a.refuseExisting(a.abs(out))
	}
	st, err := a.store()
	if err != nil {
		return "", err
	}
	log, err := st.Create(ctx, h)
	if err != nil {
		return "", explain("sessions", err)
	}
	path := log.Ref()
	if err := log.Close(); err != nil {
		return "", explain("sessions", err)
	}
	return path, explain("sessions", os.MkdirAll(filepath.Dir(path), 0o700))
}

// refuseExisting returns an error if a file would be overwritten.
func (a *app) refuseExisting(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return &failure{Code: codeFailed, What: "write " + path, Why: "the file already exists", Try: "another name", File: path}
	}
	return nil
}

func (a *app) printFork(f forkJSON, asJSON bool) {
	if asJSON {
		a.json(f)
		return
	}
	a.say("%s with %s: %s\n", f.Session, count(f.Entries, "entry", "entries"), f.File)
	if f.EditorText != "" {
		fmt.Fprintf(a.Out, "\n%s\n", visible(f.EditorText))
	}
}
