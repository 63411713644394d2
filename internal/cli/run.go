package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/internal/terminal"
	"github.com/coppice-dev/coppice/provider"
)

// Env is everything that a run depends on, so that a test can run the program
// in its own process.
type Env struct {
	Args     []string // without the program's name
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Environ  []string // all of it, as os.Environ has it: values that are secrets are masked
	Dir      string   // working directory
	Now      func() time.Time
	Version  string
	Terminal bool // Out is a terminal
	Width    int  // its columns; 0: unknown

	ErrTerminal bool // Err is a terminal: long work shows its progress there
}

// Run runs one command and returns the exit code: 0 done, 1 failed, 2 wrong
// usage, 3 nothing to do, 4 problems found, 130 interrupted.
func Run(ctx context.Context, env Env) int {
	a := &app{Env: env, rawErr: env.Err}
	if env.Terminal || env.ErrTerminal {
		a.term = terminal.New(env.Getenv)
	}
	if env.Terminal {
		w := a.term.Writer(env.Out)
		defer w.Close()
		a.Out = w
	}
	if env.ErrTerminal {
		w := a.term.Writer(env.Err)
		defer w.Close()
		a.Err = w
	}
	out := &written{to: a.Out}
	a.Out = out
	root := a.root()
	root.SetArgs(env.Args)
	root.SetIn(env.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if a.help = "coppice help"; cmd != root {
		a.help = cmd.CommandPath() + " --help"
	}
	a.remember()
	a.tellSuccessors(ctx)
	var code exitCode
	failed := out.failed()
	said := err == nil || errors.As(err, &code) // nothing is left to report
	switch {
	case failed != nil && (said || errors.Is(err, failed)):
		if err = unwritten(failed); errors.As(err, &code) {
			return int(code)
		}
	case said:
		return int(code)
	}
	return a.report(ctx, err, failed == nil && slices.Contains(env.Args, "--json"))
}

// app is one run.
type app struct {
	Env
	term   *terminal.Terminal // nil: neither output is one that can be steered
	rawErr io.Writer          // Err as it was given, for a program that has the terminal to itself

	sessionDir string
	force      bool

	opened []opened // logs
	loaded *config
	models *provider.Catalog
	bus    *hook.Bus

	help     string     // the help command for the running one
	printing sync.Mutex // one JSON value at a time

	lineShown atomic.Bool // a line of progress is on the terminal
}

// Groups of commands in the help.
const (
	groupContext = "context"
	groupLook    = "look"
	groupSetup   = "setup"
)

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "coppice",
		Short: "Keep an LLM agent's session inside its context window without losing the work",
		Long: `Coppice compacts, inspects and repairs what a model sees of a long session.
The session file is only ever appended to: every reduction can be planned,
previewed, verified, undone and read back.

SESSION is a path, an id, the beginning of an id, or - for the latest session
of this project.`,
		Example: `  coppice context SESSION            what the model sees, with sizes
  coppice compact SESSION --plan     what a compaction would do
  coppice compact SESSION            do it
  coppice uncompact SESSION          undo it`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			why := fmt.Sprintf("unknown command %q", args[0])
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				why += "; did you mean " + join(near) + "?"
			}
			return usage(errors.New(why))
		},
	}
	root.SuggestionsMinimumDistance = 2
	root.AddGroup(
		&cobra.Group{ID: groupContext, Title: "What the model sees:"},
		&cobra.Group{ID: groupLook, Title: "What is in a session:"},
		&cobra.Group{ID: groupSetup, Title: "Set-up:"},
	)
	root.PersistentFlags().StringVar(&a.sessionDir, "session-dir", "", "folder that holds the sessions (default: setting session.dir)")
	root.PersistentFlags().BoolVar(&a.force, "force", false, "write to a file of a newer format, or that another agent is using")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	root.AddCommand(a.commands()...)
	return root
}

// references are the arguments that name something, and what can be given.
var references = map[string]string{
	"SESSION": "a path, an id, the beginning of an id, or - for the latest session of this project",
	"ENTRY":   "the id of an entry, or the beginning of one",
	"FILE...": "the path of a file",
	"PATH":    "a path inside the session, such as en:4f1c0a9b22d3e871",
	"MODEL":   "PROVIDER/ID",
}

// notEmpty fails if one of the arguments that use names is empty but has to name
// something.
func notEmpty(use string, given []string) error {
	for i, name := range strings.Fields(use)[1:] {
		if want := references[name]; want != "" && i < len(given) && strings.TrimSpace(given[i]) == "" {
			return usagef("%s is empty; give %s", strings.TrimSuffix(name, "..."), want)
		}
	}
	return nil
}

// noEmptyFlags fails if a flag that names something was given an empty value, as
// by a variable of a script that is not set.
func noEmptyFlags(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Name != "focus" && strings.TrimSpace(f.Value.String()) == "" {
			err = usagef("--%s is empty; give a value, or leave it out", f.Name)
		}
	})
	return err
}

// command builds a cobra command whose argument errors count as wrong usage.
func command(group, use, short, long, example string, args cobra.PositionalArgs, run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: long, Example: example, GroupID: group,
		Args: func(cmd *cobra.Command, given []string) error {
			if args(cmd, given) != nil {
				return usagef("%s: %s given", cmd.UseLine(), count(len(given), "argument", "arguments"))
			}
			return cmp.Or(notEmpty(use, given), noEmptyFlags(cmd))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := run(cmd, args)
			var code exitCode
			if errors.As(err, &code) {
				return err
			}
			return explain("failed", err)
		},
	}
}
