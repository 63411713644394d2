package cli

import (
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/message"
	"github.com/spf13/cobra"
)

func (a *app) modelsCmd() *cobra.Command {
	var asJSON bool
	cmd := command(groupSetup, "models [FILTER]", "List the models that are known, with their windows",
		"List models with their context windows and where each number comes from: your\nsettings, or the built-in catalogue. FILTER keeps those whose provider/id has it.",
		"  coppice models claude", cobra.MaximumNArgs(1),
		func(_ *cobra.Command, args []string) error {
			a.listModels(strings.Join(args, ""), asJSON)
			return nil
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// modelJSON is a member of `models --json` (spec/cli.md).
type modelJSON struct {
	Provider     string `json:"provider"`
	ID           string `json:"id"`
	Window       int64  `json:"window"`
	WindowSource string `json:"windowSource"`
	MaxOutput    *int64 `json:"maxOutput"` // null: not known
}

func (a *app) listModels(filter string, asJSON bool) {
	listed := []modelJSON{}
	rows := [][]string{}
	for _, m := range a.catalog().List() {
		if !strings.Contains(strings.ToLower(m.Key()), strings.ToLower(filter)) {
			continue
		}
		j := modelJSON{Provider: m.Provider, ID: m.ID, Window: m.Window, WindowSource: m.WindowSource}
		out := "?"
		if m.MaxOutput > 0 {
			j.MaxOutput, out = &m.MaxOutput, thousands(m.MaxOutput)
		}
		listed = append(listed, j)
		rows = append(rows, []string{m.Key(), thousands(m.Window), m.WindowSource, out, priceText(m.Price)})
	}
	if asJSON {
		a.json(listed)
		return
	}
	if len(rows) == 0 {
		a.warn("models: none has %q in its name", filter)
		return
	}
	heads := []string{"model", "window", "from", "output", "$ per million in/out"}
	a.table([]column{{}, {right: true}, {color: dim}, {right: true}, {color: dim}}, append([][]string{heads}, rows...))
}

// priceText is the price for people; "" where it is not known.
func priceText(p *message.Price) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%.2f / %.2f", p.Input, p.Output)
}
