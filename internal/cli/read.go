package cli

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice/recall"
)

func (a *app) readCmd() *cobra.Command {
	var lines string
	var asJSON bool
	cmd := command(groupLook, "read SESSION PATH", "Read the whole text of an entry",
		`Print the whole text of an entry, even if it was compacted, shortened or hidden.
PATH is en: and the entry's id, as search and summaries give it, or just the id or
the beginning of it.`,
		"  coppice read - en:4f1c0a9b22d3e871\n  coppice read - 4f1c --lines 100-140", cobra.ExactArgs(2),
		func(cmd *cobra.Command, args []string) error {
			return a.read(cmd.Context(), args[0], args[1], lines, asJSON)
		})
	cmd.Flags().StringVar(&lines, "lines", "", "print only lines A-B, counted from 1; A- reads to the end")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// textJSON is the shape of `read --json` (docs/cli.md).
type textJSON struct {
	Path    string `json:"path"`
	EntryID string `json:"entryId"`
	Lines   [2]int `json:"lines"`
	Total   int    `json:"total"`
	Text    string `json:"text"`
}

func (a *app) read(ctx context.Context, ref, path, lines string, asJSON bool) error {
	from, to, err := lineFlag(lines)
	if err != nil {
		return err
	}
	log, err := a.openLog(ctx, ref, false)
	if err != nil {
		return err
	}
	defer log.Close()
	t, err := recall.Read(ctx, log, path, from, to)
	var outside *recall.RangeError
	if errors.As(err, &outside) {
		return &failure{Code: codeFailed, What: "read " + path, Why: err.Error(), Try: "--lines 1-" + strconv.Itoa(outside.Total)}
	}
	if err != nil {
		return explain("read "+path, err)
	}
	switch {
	case asJSON:
		a.json(textJSON{Path: t.Path, EntryID: t.EntryID, Lines: [2]int{t.From, t.To}, Total: t.Total, Text: t.Text})
	case a.Terminal:
		a.say("%s\n", visible(t.Text))
	default:
		a.say("%s\n", t.Text)
	}
	return nil
}

// lineFlag reads "A-B", "A-" and "A". A missing number is 0.
func lineFlag(s string) (from, to int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	first, last, isRange := strings.Cut(s, "-")
	from, err = strconv.Atoi(first)
	switch {
	case err != nil:
	case !isRange:
		to = from
	case last != "":
		to, err = strconv.Atoi(last)
	}
	if err != nil || from < 1 || to < 0 || to > 0 && to < from || isRange && last == "0" {
		return 0, 0, usagef("--lines %s: not a range of lines like 10-20", s)
	}
	return from, to, nil
}
