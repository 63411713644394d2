package cli

import (
	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice"
)

func (a *app) hideCmd() *cobra.Command {
	return a.markCmd(groupContext, "hide SESSION PATH", "Leave an entry out of what the model sees",
		`Leave an entry out of the view. It stays in the file and can be read. Hiding an
answer hides its calls and their results too. A hidden tool result leaves a note,
because its call needs a result.`,
		"  coppice hide - en:4f1c0a9b22d3e871", cobra.ExactArgs(2), func([]string) entryCall { return (*coppice.Session).Hide })
}

func (a *app) unhideCmd() *cobra.Command {
	return a.markCmd(groupContext, "unhide SESSION PATH", "Show an entry to the model as it was said",
		"Show an entry again as it is in the file, whether it was hidden, pruned or\nshortened.",
		"  coppice unhide - en:4f1c0a9b22d3e871", cobra.ExactArgs(2), func([]string) entryCall { return (*coppice.Session).Unhide })
}
