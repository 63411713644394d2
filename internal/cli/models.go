package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
)

func (a *app) modelsCmd() *cobra.Command {
	var asJSON bool
	cmd := command(groupSetup, "models [FILTER]", "List the known models and their windows",
		"List models with their context windows and where each number comes from: your\nsettings, the built-in catalogue, or what a server said when it refused a request.\nFILTER keeps only those whose provider/id contains it.",
		"  coppice models claude\n  coppice models forget local/qwen3", cobra.MaximumNArgs(1),
		func(cmd *cobra.Command, args []string) error {
			a.listModels(cmd.Context(), strings.Join(args, ""), asJSON)
			return nil
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(a.modelsForgetCmd())
	return cmd
}

func (a *app) modelsForgetCmd() *cobra.Command {
	return command("", "forget MODEL", "Forget the limits learned from a model's refusals",
		"Forget the limits that a model's server named in its refusals. coppice models\nlists them.",
		"  coppice models forget local/qwen3", cobra.ExactArgs(1),
		func(_ *cobra.Command, args []string) error {
			l := a.catalog().Limits
			if !l.Forget(args[0]) {
				f := &failure{Code: codeNothing, What: "forget " + args[0], Why: "nothing has been learned about it"}
				if known := l.Models(); len(known) > 0 {
					f.Try = "one of " + join(known)
				}
				return f
			}
			a.say("forgot the limits learned for %s\n", args[0])
			return nil
		})
}

// modelJSON is a member of `models --json` (docs/cli.md).
type modelJSON struct {
	Provider     string       `json:"provider"`
	ID           string       `json:"id"`
	Window       int64        `json:"window"`
	WindowSource string       `json:"windowSource"`
	MaxOutput    *int64       `json:"maxOutput"` // null: unknown
	Learned      *learnedJSON `json:"learned,omitempty"`
	Caps         []capJSON    `json:"caps,omitempty"`
}

// learnedJSON is a window that was learned, with its evidence.
type learnedJSON struct {
	Number int64     `json:"number"`
	Text   string    `json:"text"`
	When   time.Time `json:"when"`
	Times  int       `json:"times"`
}

// capJSON is another limit that was learned.
type capJSON struct {
	Unit   message.Unit `json:"unit"`
	Where  string       `json:"where,omitempty"`
	Number int64        `json:"number"`
	Text   string       `json:"text"`
	When   time.Time    `json:"when"`
}

func (j *modelJSON) add(s provider.Lesson) {
	if s.Unit == "context-tokens" {
		j.Learned = &learnedJSON{Number: s.Number, Text: s.Text, When: s.When, Times: s.Times}
		return
	}
	j.Caps = append(j.Caps, capJSON{Unit: s.Unit, Where: s.Where, Number: s.Number, Text: s.Text, When: s.When})
}

func (a *app) listModels(ctx context.Context, filter string, asJSON bool) {
	matches := func(m message.Model) bool { return strings.Contains(strings.ToLower(m.Key()), strings.ToLower(filter)) }
	a.askNamed(ctx, a.ownModels(matches)...)
	listed := []modelJSON{}
	rows := [][]string{}
	var lessons [][]string
	for _, m := range a.catalog().List() {
		if !matches(m) {
			continue
		}
		j := modelJSON{Provider: m.Provider, ID: m.ID, Window: m.Window, WindowSource: m.WindowSource}
		out := "?"
		if m.MaxOutput > 0 {
			j.MaxOutput, out = &m.MaxOutput, thousands(m.MaxOutput)
		}
		for _, s := range a.catalog().Limits.Of(m) {
			if s.Asked {
				continue // it is the window that the row shows
			}
			j.add(s)
			lessons = append(lessons, []string{m.Key(), thousands(s.Number) + " " + strings.TrimSpace(units[s.Unit]+" "+s.Where),
				s.When.Format(time.DateOnly), count(s.Times, "time", "times"), visible(s.Text)})
		}
		listed = append(listed, j)
		rows = append(rows, []string{m.Key(), thousands(m.Window), m.WindowSource, out, priceText(m.Price)})
	}
	if asJSON {
		a.json(listed)
		return
	}
	if len(rows) == 0 {
		a.warn("models: no name contains %q", filter)
		return
	}
	heads := []string{"model", "window", "from", "output", "$ per million in/out"}
	a.table([]column{{}, {right: true}, {color: dim}, {right: true}, {color: dim}}, append([][]string{heads}, rows...))
	if len(lessons) > 0 {
		a.say("\nlearned from servers' refusals (coppice models forget MODEL clears them):\n")
		a.table([]column{{}, {}, {color: dim}, {color: dim}, {color: dim}}, lessons)
	}
}

// ownModels are the models that the settings name.
func (a *app) ownModels(matches func(message.Model) bool) (out []message.Model) {
	c := a.settings().models
	add := func(provider, id string) {
		if m := (message.Model{Provider: provider, ID: id}); id != "" && matches(m) && !slices.ContainsFunc(out, func(o message.Model) bool { return o.Key() == m.Key() }) {
			out = append(out, m)
		}
	}
	for name, p := range c.Providers {
		for _, m := range p.Models {
			add(name, m.ID)
		}
	}
	name, id, _ := strings.Cut(c.Model, "/")
	add(name, id)
	return out
}

// priceText formats a price for people; "" if it is not known.
func priceText(p *message.Price) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%.2f / %.2f", p.Input, p.Output)
}
