package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// In these scripts, screen runs a program on a terminal of the system; what it
// prints is the standard output of the script.
func TestTerminal(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/terminal",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("TERM", "xterm")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"screen": func(ts *testscript.TestScript, _ bool, args []string) {
				out, err := onTerminal(ts, args)
				ts.Check(err)
				_, err = ts.Stdout().Write(out)
				ts.Check(err)
			},
		},
	})
}

func onTerminal(ts *testscript.TestScript, args []string) ([]byte, error) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer terminal.Close()
	if err := unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return nil, err
	}
	n, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPTN)
	if err != nil {
		return nil, err
	}
	side, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), side, side
	for _, name := range []string{"HOME", "TERM", "NO_COLOR", "PATH"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	screen := make(chan []byte)
	go func() {
		out, _ := io.ReadAll(terminal) // fails once the other side is closed
		screen <- out
	}()
	_ = cmd.Run() // commands that fail print, too
	side.Close()
	return <-screen, nil
}
