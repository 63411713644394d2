//go:build unix

package tools

import (
	"os/exec"
	"syscall"
)

// inGroup gives a command its own process group, so that stopping it stops its
// children too.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
