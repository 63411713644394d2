package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// verb is a command before it is built.
type verb struct {
	name  string
	build func(*app) *cobra.Command
}

// verbs are all commands, in the order of the help.
var verbs = []verb{
	{"run", (*app).runCmd},
	{"context", (*app).contextCmd},
	{"compact", (*app).compactCmd},
	{"uncompact", (*app).uncompactCmd},
	{"prune", (*app).pruneCmd},
	{"hide", (*app).hideCmd},
	{"unhide", (*app).unhideCmd},
	{"pin", (*app).pinCmd},
	{"unpin", (*app).unpinCmd},
	{"go", (*app).goCmd},
	{"merge", (*app).mergeCmd},
	{"tree", (*app).treeCmd},
	{"compare", (*app).compareCmd},
	{"search", (*app).searchCmd},
	{"read", (*app).readCmd},
	{"serialize", (*app).serializeCmd},
	{"sessions", (*app).sessionsCmd},
	{"fork", (*app).forkCmd},
	{"clone", (*app).cloneCmd},
	{"import", (*app).importCmd},
	{"export", (*app).exportCmd},
	{"delete", (*app).deleteCmd},
	{"stats", (*app).statsCmd},
	{"state", (*app).stateCmd},
	{"check", (*app).checkCmd},
	{"label", (*app).labelCmd},
	{"name", (*app).nameCmd},
	{"explain-error", (*app).explainCmd},
	{"models", (*app).modelsCmd},
	{"settings", (*app).settingsCmd},
	{"doctor", (*app).doctorCmd},
	{"version", (*app).versionCmd},
}

// commands builds the command that the arguments name. If they name none it
// builds all of them, for help, completion and suggestions.
func (a *app) commands() []*cobra.Command {
	wanted := verbs
	if i := slices.IndexFunc(verbs, func(v verb) bool { return len(a.Args) > 0 && v.name == a.Args[0] }); i >= 0 {
		wanted = verbs[i : i+1]
	}
	var cmds []*cobra.Command
	for _, v := range wanted {
		cmd := v.build(a)
		if cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = a.completer(cmd.Use)
		}
		cmds = append(cmds, cmd)
	}
	return cmds
}
