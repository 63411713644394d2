//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// inGroup gives a program its own process group, so that Ctrl-C in the
// terminal reaches only us and killing the program also kills its children.
func inGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // fails where nothing is left
