//go:build !unix

package mcp

import "os/exec"

// inGroup does nothing where there are no process groups.
func inGroup(*exec.Cmd) {}

// killGroup kills the program alone.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // fails where it has ended
