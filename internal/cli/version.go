package cli

import (
	"runtime"

	"github.com/spf13/cobra"
)

func (a *app) versionCmd() *cobra.Command {
	return command(groupSetup, "version", "Print the version",
		"Print the version of coppice and what it was built with.",
		"  coppice version", cobra.NoArgs,
		func(*cobra.Command, []string) error {
			a.say("coppice %s (%s, %s/%s)\n", a.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		})
}
