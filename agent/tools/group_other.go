//go:build !unix

package tools

import "os/exec"

// inGroup does nothing where there are no process groups: stopping a command
// stops the command alone.
func inGroup(*exec.Cmd) {}
