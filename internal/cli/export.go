package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/export"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/timeline"
)

// exportFlags are the flags of export.
type exportFlags struct {
	format     string
	out        string
	leaf       string
	tree, seen bool
	mask, json bool
}

// exportFormats are the formats of export, each with its file extensions.
var exportFormats = map[string][]string{
	"html":     {".html", ".htm"},
	"markdown": {".md", ".markdown"},
	"jsonl":    {".jsonl"},
}

func (a *app) exportCmd() *cobra.Command {
	var f exportFlags
	cmd := command(groupLook, "export SESSION", "Write a session as a page, as Markdown or as JSON Lines",
		`Write a session as one HTML page with the tree, search and what the model sees,
as Markdown, or as JSON Lines that open as a session again. The page works from
disk, without a network, and does not run anything that is in the session.

Everything is written as it was said, secrets included; --mask hides those that
are recognized. Only you can read the file (0600), and no file is overwritten.`,
		"  coppice export - -o session.html\n  coppice export work.jsonl -o notes.md --seen --mask\n  coppice export work.jsonl --format jsonl --tree -o -",
		cobra.ExactArgs(1), func(cmd *cobra.Command, args []string) error {
			return a.export(cmd.Context(), args[0], f)
		})
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "file to write, - for standard output (default: named after the session, here)")
	fl.StringVar(&f.format, "format", "", "html, markdown or jsonl (default: what the file's name says, else html)")
	fl.StringVar(&f.leaf, "leaf", "", "end at this entry (default: the leaf)")
	fl.BoolVar(&f.tree, "tree", false, "jsonl: every branch, not only the active path")
	fl.BoolVar(&f.seen, "seen", false, "markdown: what the model sees, not everything that was said")
	fl.BoolVar(&f.mask, "mask", false, "hide secrets")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"html", "markdown", "jsonl"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// settle picks the format and refuses flags that do not make sense.
func (f *exportFlags) settle() error {
	if f.format == "" {
		f.format = "html"
		for format, endings := range exportFormats {
			for _, ending := range endings {
				if strings.EqualFold(filepath.Ext(f.out), ending) {
					f.format = format
				}
			}
		}
	}
	switch {
	case exportFormats[f.format] == nil:
		return usagef("--format %s: not one of html, markdown, jsonl", f.format)
	case f.tree && f.format != "jsonl":
		return usagef("--tree: only with --format jsonl")
	case f.seen && f.format != "markdown":
		return usagef("--seen: only with --format markdown")
	case f.tree && f.leaf != "":
		return usagef("--leaf: cannot be used with --tree")
	case f.out == "-" && f.json:
		return usagef("--json: cannot be used with -o -, which takes standard output")
	}
	return nil
}

// exportJSON is the shape of `export --json`.
type exportJSON struct {
	Session string `json:"session"`
	File    string `json:"file"`
	Format  string `json:"format"`
	Bytes   int64  `json:"bytes"`
	Masked  bool   `json:"masked"`
}

func (a *app) export(ctx context.Context, ref string, f exportFlags) error {
	if err := f.settle(); err != nil {
		return err
	}
	log, err := a.openLog(ctx, ref, false)
	if err != nil {
		return err
	}
	defer log.Close()
	source := log.Ref()
	if f.mask {
		log = export.Masked(log, a.masker())
	}
	s, err := a.sessionOf(log)
	if err != nil {
		return err
	}
	var leaf *session.Entry
	if f.leaf != "" {
		if leaf, err = entryOf(ctx, s, f.leaf); err != nil {
			return err
		}
	}
	write := func(w io.Writer) error { return a.writeExport(ctx, s, leaf, f, w) }
	if f.out == "-" {
		return explain("export "+source, write(a.Out))
	}
	if f.out == "" {
		f.out = strings.TrimSuffix(filepath.Base(source), ".jsonl") + exportFormats[f.format][0]
	}
	path := a.abs(f.out)
	if err := a.refuseExisting(path); err != nil {
		return err
	}
	w := a.work("writing " + path)
	n, err := writePrivate(path, write)
	w.stop()
	if err != nil {
		return explain("export "+path, err)
	}
	if f.format == "jsonl" {
		if err := filestore.CopySide(ctx, source, path); err != nil {
			return explain("export "+path, err)
		}
	}
	a.printExport(exportJSON{Session: s.ID(), File: path, Format: f.format, Bytes: n, Masked: f.mask}, f.json)
	return nil
}

// writeExport writes a session in a format.
func (a *app) writeExport(ctx context.Context, s *coppice.Session, leaf *session.Entry, f exportFlags, w io.Writer) error {
	if f.format == "jsonl" {
		h := session.Header{Cwd: s.Log().Header().Cwd}.Complete(a.Now())
		return export.JSONL(ctx, s.Log(), leaf, h, w, export.JSONLOptions{Tree: f.tree})
	}
	v, err := s.ViewAt(ctx, leaf)
	if err != nil {
		return err
	}
	title := a.titleOf(ctx, s)
	if f.format == "markdown" {
		return export.Markdown(ctx, s.Log(), v, w, export.MarkdownOptions{Title: title, Seen: f.seen})
	}
	views, err := a.viewsOf(ctx, s, v)
	if err != nil {
		return err
	}
	st, err := s.State(ctx, v.Leaf)
	if err != nil {
		return err
	}
	return export.HTML(ctx, s.Log(), views, w, export.HTMLOptions{Title: title, State: st})
}

// mostViews limits for how many branch ends a page shows what the model sees.
const mostViews = 32

// viewsOf returns the given view and the views at the newest ends of other
// branches.
func (a *app) viewsOf(ctx context.Context, s *coppice.Session, first *timeline.View) ([]*timeline.View, error) {
	views := []*timeline.View{first}
	var places []place
	t, err := session.ReadTree(ctx, s.Log(), func(_ int, e *session.Entry) error {
		places = append(places, place{e.ID, e.At})
		return nil
	})
	if err != nil {
		return nil, err
	}
	inner := make([]bool, len(places))
	for _, up := range t.Up {
		if up >= 0 {
			inner[up] = true
		}
	}
	for i := len(places) - 1; i >= 0 && len(views) < mostViews; i-- {
		p := places[i]
		if inner[i] || first.Leaf != nil && p.id == first.Leaf.ID && p.at == first.Leaf.At {
			continue
		}
		leaf, err := s.Log().Find(ctx, p.id, p.at)
		if err != nil {
			return nil, err
		}
		v, err := s.ViewAt(ctx, leaf)
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

// place finds an entry again, even if another one has the same id.
type place struct {
	id string
	at int64
}

// writePrivate writes a file that only its owner can read. It appears under
// its name when it is complete. It returns its size.
func writePrivate(path string, write func(io.Writer) error) (n int64, err error) {
	part := path + ".part-" + session.NewID()
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part))
		}
	}()
	if err := errors.Join(write(f), f.Sync()); err != nil {
		return 0, errors.Join(err, f.Close())
	}
	info, err := f.Stat()
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	return info.Size(), os.Rename(part, path)
}

func (a *app) printExport(e exportJSON, asJSON bool) {
	if asJSON {
		a.json(e)
		return
	}
	a.say("%s as %s: %s\n", bytesText(e.Bytes), e.Format, e.File)
}
