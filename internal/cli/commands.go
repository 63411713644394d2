package cli

import "github.com/spf13/cobra"

// commands are all verbs, in the order of the help.
func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.contextCmd(),
		a.compactCmd(),
	}
}
