package cli

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/coppice-dev/coppice/internal/terminal"
)

func TestWorkIsShownOnATerminalOnly(t *testing.T) {
	var out bytes.Buffer
	a := &app{Env: Env{Err: &out}}
	w := a.work("reading")
	w.part(1, 2)
	w.stop()
	if out.Len() > 0 {
		t.Errorf("%q without a terminal", out.String())
	}
	a.ErrTerminal = true
	quick := a.work("reading")
	quick.stop()
	if out.Len() > 0 {
		t.Errorf("%q for a moment's work", out.String())
	}
}

func TestWorkLine(t *testing.T) {
	var out bytes.Buffer
	term := terminal.New(func(string) string { return "" })
	w := &work{to: term.Writer(&out), clear: term.ClearLine(), line: new(atomic.Bool), quit: make(chan struct{}), what: "reading a\x1b[2J", percent: -1}
	w.draw()
	w.part(30, 40)
	w.draw()
	w.at("planning")
	w.draw()
	w.stop()
	w.stop()
	const line = "\r\x1b[K"
	plain := visible("reading a\x1b[2J")
	if want := line + plain + line + plain + ": 75%" + line + "planning" + line; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestPromptlyLeavesWorkAlone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan struct{})
	defer close(release)
	_, err := promptly(ctx, func() (int, error) {
		cancel()
		<-release
		return 1, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	n, err := promptly(context.Background(), func() (int, error) { return 2, nil })
	if n != 2 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if _, err := promptly(ctx, func() (int, error) { t.Error("begun"); return 0, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
