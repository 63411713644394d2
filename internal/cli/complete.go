package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

// mostCompletions limits how many candidates a shell is offered.
const mostCompletions = 100

// completer completes the arguments that a usage line names: SESSION by the
// ids in the store or a file, ENTRY and PATH by the ids on the active path.
func (a *app) completer(use string) cobra.CompletionFunc {
	names := strings.Fields(use)[1:]
	return func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= len(names) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		switch names[len(args)] {
		case "SESSION":
			return a.sessionIDs(cmd.Context(), prefix), cobra.ShellCompDirectiveDefault | cobra.ShellCompDirectiveKeepOrder
		case "ENTRY", "PATH":
			return a.entryIDs(cmd.Context(), args[0], prefix), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// sessionIDs are those that begin with prefix, newest first.
func (a *app) sessionIDs(ctx context.Context, prefix string) []cobra.Completion {
	st, err := a.store()
	if err != nil {
		return nil
	}
	var out []cobra.Completion
	for info, err := range st.List(ctx) {
		if err != nil || info.ID == "" || !strings.HasPrefix(info.ID, prefix) {
			continue
		}
		about := info.FirstMessage
		if info.Name != nil && *info.Name != "" {
			about = *info.Name
		}
		if out = append(out, cobra.CompletionWithDesc(info.ID, short(about, 60))); len(out) == mostCompletions {
			break
		}
	}
	return out
}

// entryIDs are those on the active path that begin with prefix, newest first.
func (a *app) entryIDs(ctx context.Context, ref, prefix string) []cobra.Completion {
	s, err := a.open(ctx, ref, false)
	if err != nil {
		return nil
	}
	defer s.Close()
	p := previewer{home: a.home(), calls: map[string]string{}}
	var out []cobra.Completion
	e, err := s.Leaf(ctx)
	for err == nil && e != nil && len(out) < mostCompletions {
		if id, ok := strings.CutPrefix(prefix, "en:"); strings.HasPrefix(e.ID, id) {
			name := e.ID
			if ok {
				name = "en:" + name
			}
			m, err := e.Message()
			if err != nil {
				return out
			}
			out = append(out, cobra.CompletionWithDesc(name, short(p.of(e, m), 60)))
		}
		e, err = s.Log().Parent(ctx, e)
	}
	return out
}
