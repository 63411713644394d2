package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/all"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/session/memstore"
)

// importFlags are the flags of import.
type importFlags struct {
	from, session, out string
	json               bool
}

func (a *app) importCmd() *cobra.Command {
	var f importFlags
	cmd := command(groupLook, "import FILE...", "Import session files of other agents",
		`Read files of Claude Code, Codex, opencode (opencode export), oh-my-pi, OpenClaw,
pi, Gemini CLI and Crush (.crush/crush.db), and write each as a session among
those of its project. The file is not changed. What could not be imported is
listed at the end.

A file with several sessions gives the newest one, or the one that --session
names. With several files --json prints one line for each.`,
		`  coppice import ~/.claude/projects/-srv-shop/2f1c9a04.jsonl
  opencode export ses_1 > export.json && coppice import export.json
  coppice import .crush/crush.db --session 4c8e -o crush.jsonl`,
		cobra.MinimumNArgs(1), func(cmd *cobra.Command, args []string) error {
			return a.importFiles(cmd.Context(), args, f)
		})
	fl := cmd.Flags()
	fl.StringVar(&f.from, "from", "auto", "the agent that wrote the file: "+strings.Join(importers(), ", ")+", or auto")
	fl.StringVar(&f.session, "session", "", "id of the session in a file that holds several")
	fl.StringVarP(&f.out, "output", "o", "", "file of the new session (default: among the sessions of its project)")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(append([]string{"auto"}, importers()...), cobra.ShellCompDirectiveNoFileComp))
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return cmd
}

func importers() []string {
	var names []string
	for _, im := range all.All() {
		names = append(names, im.Name())
	}
	return append(names, "oh-my-pi", "openclaw")
}

// importJSON is the shape of `import --json` (docs/cli.md).
type importJSON struct {
	Session    string         `json:"session"`
	File       string         `json:"file"`
	Counts     convert.Counts `json:"counts"`
	NotCarried map[string]int `json:"notCarried"`
}

// importFiles imports one file after another. One failure does not stop the
// rest.
func (a *app) importFiles(ctx context.Context, paths []string, f importFlags) error {
	if len(paths) > 1 && (f.out != "" || f.session != "") {
		return usagef("-o and --session work with one file, but %d were given", len(paths))
	}
	if _, ok := all.ByName(f.from); !ok && f.from != "auto" {
		return usagef("--from %s: not one of auto, %s", f.from, strings.Join(importers(), ", "))
	}
	if len(paths) == 1 {
		return a.importFile(ctx, paths[0], f)
	}
	failed := codeDone
	for _, path := range paths {
		if err := a.importFile(ctx, path, f); err != nil {
			failed = exitCode(a.report(ctx, err, f.json))
		}
		if ctx.Err() != nil {
			break
		}
	}
	if failed != codeDone {
		return failed
	}
	return nil
}

// importFile imports one file. It works in memory first, so that the session
// is written whole or not at all.
func (a *app) importFile(ctx context.Context, path string, f importFlags) error {
	src, im, err := a.importSource(path, f)
	if err != nil {
		return err
	}
	what := "import " + src.Path
	h, err := im.Describe(ctx, src)
	if err != nil {
		return explainImport(what, err)
	}
	if h.Cwd == "" {
		h.Cwd = a.Dir // not every agent records where it worked
	}
	if h, err = a.newHeader(ctx, h, f.out); err != nil {
		return err
	}
	file, err := a.placeOf(ctx, h, f.out)
	if err != nil {
		return err
	}
	log, err := memstore.New(a.Now).Create(ctx, h)
	if err != nil {
		return explain(what, err)
	}
	defer log.Close()
	sink := convert.NewSink(session.New(log, session.Options{Now: a.Now}))
	w := a.work("importing " + src.Path)
	sink.Progress = func(read int64) { w.part(read, src.Size) }
	err = im.Import(ctx, src, sink)
	if err == nil {
		err = sink.Flush(ctx)
	}
	w.stop()
	if err != nil {
		return explainImport(what, err)
	}
	out := importJSON{Session: h.ID, File: file}
	out.Counts, out.NotCarried = sink.Counts()
	if out.Counts.Messages == 0 {
		return &failure{Code: codeFailed, What: what, Why: noMessage(out.NotCarried), File: src.Path}
	}
	if err := filestore.WriteCopy(ctx, file, log.Header(), log.All(ctx)); err != nil {
		return explain("write "+file, err)
	}
	a.printImport(out, im.Name(), f.json)
	return nil
}

// noMessage says why a file does not give a session.
func noMessage(notCarried map[string]int) string {
	if n := notCarried["subagent message"]; n > 0 {
		return "it has only what a subagent did (" + count(n, "message", "messages") + "), without a conversation of its own"
	}
	return "it has no messages"
}

// newHeader completes the header of a new session. It keeps the id from the
// agent unless a session in the store already has it.
func (a *app) newHeader(ctx context.Context, h session.Header, out string) (session.Header, error) {
	if h.ID != "" && out == "" {
		st, err := a.store()
		if err != nil {
			return h, err
		}
		var ambiguous *session.AmbiguousError
		switch log, err := st.Open(ctx, h.ID, session.Mode{}); {
		case err == nil:
			if log.Header().ID == h.ID {
				h.ID = ""
			}
			_ = log.Close()
		case errors.As(err, &ambiguous):
			h.ID = ""
		}
	}
	return h.Complete(a.Now()), nil
}

// importSource opens a file and finds its importer.
func (a *app) importSource(path string, f importFlags) (convert.Source, convert.Importer, error) {
	path = a.abs(path)
	fail := func(why, try string) error {
		return &failure{Code: codeFailed, What: "import " + path, Why: why, Try: try, File: path}
	}
	info, err := os.Stat(path)
	if err != nil {
		return convert.Source{}, nil, fail(plain(err), "")
	}
	if info.IsDir() {
		return convert.Source{}, nil, fail("it is a folder", "name the files in it")
	}
	if !info.Mode().IsRegular() {
		return convert.Source{}, nil, fail("not a regular file", "copy it to a regular file")
	}
	src := convert.Source{Path: path, Size: info.Size(), Session: f.session,
		Open: func() (io.ReadCloser, error) { return os.Open(path) }}
	if im, ok := all.ByName(f.from); ok {
		return src, im, nil
	}
	head, err := readHead(src)
	if err != nil {
		return src, nil, fail(plain(err), "")
	}
	im, ok := all.Detect(path, head)
	if !ok {
		return src, nil, fail("it does not look like the file of any known agent", "--from one of "+strings.Join(importers(), ", "))
	}
	return src, im, nil
}

func readHead(src convert.Source) ([]byte, error) {
	f, err := src.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, all.HeadSize))
}

// explainImport says what can be done about a file that cannot be imported.
func explainImport(what string, err error) error {
	f := &failure{Code: codeFailed, What: what, Why: err.Error(), cause: err}
	if f.File = fileOf(what, err); f.File != "" {
		f.Why = withoutPath(f.Why, f.File)
	}
	var ambiguous *session.AmbiguousError
	switch {
	case errors.Is(err, context.Canceled), errors.As(err, &ambiguous):
		return explain(what, err)
	case errors.Is(err, convert.ErrNotOurs):
		f.Try = "use --from auto, or name the agent that wrote it"
	case errors.Is(err, convert.ErrNoSession):
		f.Try = "give --session another id, or leave it out for the newest"
	default:
		f.Try = tryFor(err)
	}
	return f
}
