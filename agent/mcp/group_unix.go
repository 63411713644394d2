//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// inGroup gives a program a process group of its own: Ctrl-C in the terminal is
// for us, and killing the program kills what it has started too.
func inGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // fails where nothing is left
