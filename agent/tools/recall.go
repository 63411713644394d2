package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/recall"
)

// maxHits is how many hits a recall shows.
const maxHits = 15

// recalled begins the output of recall.
const recalled = "[recalled from this session]\n"

func (b box) recall() agent.Tool {
	return agent.Tool{Name: "recall", Parallel: true,
		Description: "Find and read what was said and done earlier in this session, including what is now summarized or left out. " +
			"With query: search all words and \"quoted phrases\". With path (en:ID): read an entry, all of it or some lines.",
		Parameters: parameters([3]string{"query?", "string", "words to search for"}, [3]string{"path?", "string", "entry to read, e.g. en:1a2b"},
			[3]string{"from?", "integer", "first line, from 1"}, [3]string{"to?", "integer", "last line"}),
		Run: func(ctx context.Context, c agent.Call) (agent.Result, error) {
			var in struct {
				Query string `json:"query"`
				Path  string `json:"path"`
				From  int    `json:"from"`
				To    int    `json:"to"`
			}
			if err := arguments(c.Arguments, &in); err != nil {
				return agent.Result{}, err
			}
			switch {
			case in.Path != "":
				return b.recallRead(ctx, in.Path, in.From, in.To)
			case in.Query != "":
				return b.recallSearch(ctx, in.Query)
			}
			return agent.Result{}, errors.New("query or path is missing")
		}}
}

func (b box) recallRead(ctx context.Context, path string, from, to int) (agent.Result, error) {
	t, err := recall.Read(ctx, b.Log, path, from, to)
	if err != nil {
		return agent.Result{}, err
	}
	text, err := window(t.Text, 0, 0)
	return agent.Text(fmt.Sprintf("%s[%s, %s, lines %d-%d of %d]\n%s", recalled, t.Path, t.Role, t.From, t.To, t.Total, text)), err
}

func (b box) recallSearch(ctx context.Context, query string) (agent.Result, error) {
	var out strings.Builder
	n := 0
	for hit, err := range recall.Search(ctx, b.Log, query, recall.Options{Limit: maxHits}) {
		if err != nil {
			return agent.Result{}, err
		}
		n++
		fmt.Fprintf(&out, "%s (%s, %s branch): %s\n", hit.Path, hit.Role, hit.Branch, hit.Snippet)
	}
	if n == 0 {
		return nothingFound(), nil
	}
	return agent.Text(recalled + out.String()), nil
}
