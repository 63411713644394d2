//go:build unix

package hook

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup starts a program in its own process group, so that its child
// processes end with it, and asks the group to end when the context is done.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// killGroup kills what is left of a group, which may be empty.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}

// runnable reports whether a file in a hook folder is a program.
func runnable(_ string, mode uint32) bool { return mode&0o111 != 0 }
