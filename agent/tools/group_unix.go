//go:build unix

package tools

import (
	"os/exec"
	"syscall"
)

// inGroup gives a command a process group of its own, so that stopping it
// stops what it has started too.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
