package cli

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice/settings"
)

func (a *app) settingsCmd() *cobra.Command {
	var asJSON bool
	cmd := command(groupSetup, "settings", "List, change and trust settings",
		`List every setting with its value and where it comes from: the default, your file,
the project's file, or an environment variable. Secrets are masked.`,
		"  coppice settings\n  coppice settings set compaction.thresholdPercent 80", cobra.NoArgs,
		func(*cobra.Command, []string) error {
			a.listSettings(asJSON)
			return nil
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(a.settingsSetCmd(), a.settingsTrustCmd(), a.settingsSchemaCmd())
	return cmd
}

func (a *app) listSettings(asJSON bool) {
	resolved := a.settings().Keys
	if asJSON {
		a.json(resolved)
		return
	}
	var rows [][]string
	for _, r := range resolved {
		value := short(string(r.Value), 60)
		if value == "null" {
			value = "unset"
		}
		rows = append(rows, []string{r.Key, value, r.Source.String(), r.Help})
	}
	a.table([]column{{}, {color: "39"}, {color: dim}, {}}, rows)
}

func (a *app) settingsSetCmd() *cobra.Command {
	cmd := command("", "set KEY VALUE", "Change a setting in your settings file",
		"Change one key in your settings file; comments and layout stay. VALUE is plain\ntext or JSON; null restores the default.",
		"  coppice settings set compaction.keepRecentTokens 30000\n  coppice settings set compaction.model anthropic/claude-haiku-4-5",
		cobra.ExactArgs(2), func(_ *cobra.Command, args []string) error {
			return a.set(args[0], args[1])
		})
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var keys []string
		for _, r := range a.settings().Keys {
			keys = append(keys, cobra.CompletionWithDesc(r.Key, r.Help))
		}
		return keys, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

func (a *app) set(key, value string) error {
	paths, err := settings.PathsOf(a.Getenv)
	if err != nil {
		return explain("settings", err)
	}
	path := paths.Settings
	err = settings.Set(path, key, value, new(config).parts()...)
	var p settings.Problem
	if errors.As(err, &p) {
		f := &failure{Code: codeUsage, What: "set " + cmp.Or(p.Key, key), Why: p.Detail, File: path, Line: p.Line, Try: "coppice settings lists every key"}
		if p.Hint != "" {
			f.Try = "coppice settings set " + p.Hint
		}
		return f
	}
	if err != nil {
		return explain("set "+key, err)
	}
	a.say("set in %s\n", path)
	return nil
}

func (a *app) settingsSchemaCmd() *cobra.Command {
	return command("", "schema", "Print the JSON Schema of a settings file",
		"Print the JSON Schema of a settings file, for editors that complete and check it.",
		"  coppice settings schema > coppice.schema.json", cobra.NoArgs,
		func(*cobra.Command, []string) error {
			schema, err := settings.Schema(new(config).parts()...)
			if err == nil {
				_, err = a.Out.Write(schema)
			}
			return err
		})
}
