package cli

import (
	"runtime"

	"github.com/spf13/cobra"
)

// versionJSON is the shape of `version --json`.
type versionJSON struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (a *app) versionCmd() *cobra.Command {
	var asJSON bool
	cmd := command(groupSetup, "version", "Print the version",
		"Print the version of coppice and what it was built with.",
		"  coppice version", cobra.NoArgs,
		func(*cobra.Command, []string) error {
			v := versionJSON{Version: a.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			if asJSON {
				a.json(v)
			} else {
				a.say("coppice %s (%s, %s)\n", v.Version, v.Go, v.Platform)
			}
			return nil
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
