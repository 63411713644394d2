package cli

import "github.com/spf13/cobra"

// commands are all verbs, in the order of the help.
func (a *app) commands() []*cobra.Command {
	cmds := []*cobra.Command{
		a.runCmd(),
		a.contextCmd(),
		a.compactCmd(),
		a.uncompactCmd(),
		a.pruneCmd(),
		a.hideCmd(),
		a.unhideCmd(),
		a.pinCmd(),
		a.unpinCmd(),
		a.goCmd(),
		a.mergeCmd(),
		a.treeCmd(),
		a.compareCmd(),
		a.searchCmd(),
		a.readCmd(),
		a.serializeCmd(),
		a.sessionsCmd(),
		a.forkCmd(),
		a.cloneCmd(),
		a.importCmd(),
		a.exportCmd(),
		a.deleteCmd(),
		a.statsCmd(),
		a.checkCmd(),
		a.labelCmd(),
		a.nameCmd(),
		a.explainCmd(),
		a.modelsCmd(),
		a.settingsCmd(),
		a.doctorCmd(),
		a.versionCmd(),
	}
	for _, cmd := range cmds {
		if cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = a.completer(cmd.Use)
		}
	}
	return cmds
}
