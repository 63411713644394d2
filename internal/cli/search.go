package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice/recall"
)

// searchFlags are the flags of search.
type searchFlags struct {
	all    bool
	active bool
	limit  int
	json   bool
}

func (a *app) searchCmd() *cobra.Command {
	var f searchFlags
	cmd := command(groupLook, "search SESSION QUERY", "Find what was said",
		`Find the entries that contain every word of QUERY, and every "quoted phrase",
ignoring case. All branches are searched, with what was compacted or hidden. The
best hits come first; coppice read shows a whole entry.

With --all every session is searched, and SESSION can be left out.`,
		"  coppice search - 'parser \"line 42\"'\n  coppice search --all 'OAuth token'", cobra.RangeArgs(1, 2),
		func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && !f.all {
				return usagef("search needs SESSION and QUERY, or --all")
			}
			return a.search(cmd.Context(), args[0], args[len(args)-1], f)
		})
	cmd.Flags().BoolVar(&f.all, "all", false, "search every session")
	cmd.Flags().BoolVar(&f.active, "active", false, "search only the active branch")
	cmd.Flags().IntVar(&f.limit, "limit", recall.DefaultLimit, "maximum number of hits")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON value for each hit")
	return cmd
}

// hitJSON is a line of `search --json` (docs/cli.md). Session and file are
// given only if several sessions are searched.
type hitJSON struct {
	Session string  `json:"session,omitempty"`
	File    string  `json:"file,omitempty"`
	EntryID string  `json:"entryId"`
	Path    string  `json:"path"`
	Role    string  `json:"role"`
	Branch  string  `json:"branch"`
	Score   float64 `json:"score"`
	Snippet string  `json:"snippet"`
}

func (a *app) search(ctx context.Context, ref, query string, f searchFlags) error {
	if f.limit < 1 {
		return usagef("--limit %d: at least 1", f.limit)
	}
	var hits []hitJSON
	var err error
	w := a.work("searching")
	defer w.stop()
	if f.all {
		hits, err = a.searchAll(ctx, query, f.options())
	} else {
		hits, err = a.searchOne(ctx, ref, query, f.options())
	}
	if err != nil {
		return err
	}
	w.stop()
	if len(hits) == 0 {
		a.warn("search: nothing found")
	}
	for _, h := range hits {
		if f.json {
			a.json(h)
		} else {
			a.printHit(h)
		}
	}
	return nil
}

func (f searchFlags) options() recall.Options {
	return recall.Options{Limit: f.limit, Active: f.active}
}

func (a *app) searchOne(ctx context.Context, ref, query string, o recall.Options) ([]hitJSON, error) {
	log, err := a.openLog(ctx, ref, false)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	var hits []hitJSON
	for h, err := range recall.Search(ctx, log, query, o) {
		switch {
		case errors.Is(err, recall.ErrEmptyQuery):
			return nil, usage(err)
		case err != nil:
			return nil, explain("search "+log.Ref(), err)
		}
		hits = append(hits, hitJSON{EntryID: h.EntryID, Path: h.Path, Role: h.Role, Branch: h.Branch, Score: h.Score, Snippet: h.Snippet})
	}
	return hits, nil
}

// searchAll searches every session and keeps the best hits of all. It warns
// about a session that cannot be read.
func (a *app) searchAll(ctx context.Context, query string, o recall.Options) ([]hitJSON, error) {
	st, err := a.store()
	if err != nil {
		return nil, err
	}
	var hits []hitJSON
	for info, err := range st.List(ctx) {
		if err != nil {
			if ctx.Err() != nil {
				return nil, explain("search", ctx.Err())
			}
			a.warn("%v", err)
			continue
		}
		found, err := a.searchOne(ctx, info.Ref, query, o)
		var f *failure
		switch {
		case errors.As(err, &f) && f.Code == codeFailed:
			a.warn("%v", err)
			continue
		case err != nil:
			return nil, err
		}
		for _, h := range found {
			h.Session, h.File = info.ID, info.Ref
			hits = append(hits, h)
		}
		// Sessions come newest first, and that order breaks ties.
		slices.SortStableFunc(hits, func(a, b hitJSON) int { return cmp.Compare(b.Score, a.Score) })
		hits = hits[:min(len(hits), o.Limit)]
	}
	return hits, nil
}

func (a *app) printHit(h hitJSON) {
	where := h.Path
	if h.Session != "" {
		where = h.Session + "  " + where
	}
	if h.Branch == "other" {
		where += "  (another branch)"
	}
	a.say("%s  %s\n    %s\n", a.paint("39", where), a.paint(dim, h.Role), visible(h.Snippet))
}
