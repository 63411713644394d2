// Command coppice keeps an LLM agent's session inside its context window.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/coppice-dev/coppice/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second Ctrl-C ends the program, whatever it still waits for
	code := cli.Run(ctx, environment())
	stop()
	os.Exit(code)
}

func environment() cli.Env {
	dir, _ := os.Getwd() // "" where it is gone: relative paths then fail with a clear error
	env := cli.Env{Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ(), Dir: dir, Now: time.Now, Version: version()}
	if env.Terminal = term.IsTerminal(os.Stdout.Fd()); env.Terminal {
		env.Width, _, _ = term.GetSize(os.Stdout.Fd())
	}
	env.ErrTerminal = term.IsTerminal(os.Stderr.Fd())
	return env
}

// version is what the module's build information says.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
