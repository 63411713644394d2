package cli

import (
	"context"
	"math"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

func (a *app) statsCmd() *cobra.Command {
	var asJSON bool
	cmd := command(groupLook, "stats SESSION", "Count what is in a session, and its cost",
		"Count entries, tool calls, tokens and costs over the whole session, including all\nbranches, everything compacted, and the compactions themselves.",
		"  coppice stats -", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			return a.stats(cmd.Context(), args[0], asJSON)
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// statsJSON is the shape of `stats --json`.
type statsJSON struct {
	Session     string         `json:"session"`
	File        string         `json:"file"`
	Name        *string        `json:"name"`
	Entries     int            `json:"entries"`
	Types       map[string]int `json:"types"`
	Roles       map[string]int `json:"roles"`
	Leaves      int            `json:"leaves"`
	Compactions int            `json:"compactions"`
	Tools       []toolStats    `json:"tools"`
	Usage       *spentJSON     `json:"usage"`
	Context     tokensJSON     `json:"context"`
}

// toolStats counts the uses of one tool.
type toolStats struct {
	Name         string `json:"name"`
	Calls        int    `json:"calls"`
	Results      int    `json:"results"`
	Errors       int    `json:"errors"`
	ResultTokens int64  `json:"resultTokens"` // estimated
}

// spentJSON adds up what providers counted.
type spentJSON struct {
	Calls      int      `json:"calls"` // those that were counted
	Input      int64    `json:"input"`
	Output     int64    `json:"output"`
	CacheRead  int64    `json:"cacheRead"`
	CacheWrite int64    `json:"cacheWrite"`
	Total      int64    `json:"totalTokens"`
	USD        *float64 `json:"usd"`      // null: the price is unknown
	Unpriced   int      `json:"unpriced"` // calls with an unknown price, which usd leaves out
}

func (a *app) stats(ctx context.Context, ref string, asJSON bool) error {
	s, err := a.open(ctx, ref, false)
	if err != nil {
		return err
	}
	defer s.Close()
	c := counter{out: statsJSON{Session: s.ID(), Types: map[string]int{}, Roles: map[string]int{}, Tools: []toolStats{}},
		tools: map[string]int{}, lookup: a.catalog().Lookup, models: map[session.ModelChange]message.Model{}}
	tree, err := session.ReadTree(ctx, s.Log(), c.entry)
	if err != nil {
		return explain("read "+s.Ref(), err)
	}
	s.CountTokens()
	v, err := s.View(ctx)
	if err == nil {
		err = s.Settle(ctx, v)
	}
	if err != nil {
		return explain("read "+s.Ref(), err)
	}
	out := c.out
	if u := out.Usage; u != nil && u.USD != nil {
		*u.USD = math.Round(*u.USD*1e6) / 1e6 // remove the rounding errors of float sums
	}
	out.File, out.Leaves = s.Ref(), leaves(tree)
	size, err := s.Measure(ctx, v)
	if err != nil {
		return explain("read "+s.Ref(), err)
	}
	out.Context = tokensOf(size)
	if asJSON {
		a.json(out)
		return nil
	}
	return explain("read "+s.Ref(), a.printStats(out, v))
}

// leaves counts the ends of branches.
func leaves(t *session.Tree) int {
	parents := make([]bool, len(t.Up))
	for _, up := range t.Up {
		if up >= 0 {
			parents[up] = true
		}
	}
	n := 0
	for _, is := range parents {
		if !is {
			n++
		}
	}
	return n
}

// counter adds entries up.
type counter struct {
	out   statsJSON
	tools map[string]int // name -> index in out.Tools

	lookup func(provider, id string) message.Model
	models map[session.ModelChange]message.Model // looked up already
}

func (c *counter) entry(_ int, e *session.Entry) error {
	c.out.Entries++
	c.out.Types[string(e.Type)]++
	if e.Type == session.TypeCompaction {
		c.out.Compactions++
	}
	if name, ok := e.Name(); ok {
		c.out.Name = nil
		if name != "" {
			c.out.Name = &name
		}
	}
	u, by, err := e.Usage()
	if err != nil {
		return err
	}
	if u != nil && u.Total() > 0 {
		c.spend(*u, by)
	}
	m, err := e.Message()
	if err != nil || m == nil || e.Type == session.TypeCompaction {
		return err
	}
	c.out.Roles[string(m.Role)]++
	for _, call := range m.ToolCalls() {
		c.tool(call.Name).Calls++
	}
	if m.Role == message.RoleToolResult {
		t := c.tool(m.ToolName)
		t.Results++
		t.ResultTokens += tokens.Default{}.Message(m)
		if m.IsError {
			t.Errors++
		}
	}
	return nil
}

func (c *counter) tool(name string) *toolStats {
	i, ok := c.tools[name]
	if !ok {
		i = len(c.out.Tools)
		c.tools[name] = i
		c.out.Tools = append(c.out.Tools, toolStats{Name: name})
	}
	return &c.out.Tools[i]
}

// spend adds one call. A stored cost is used. A stored cost of zero for tokens
// means that the price was unknown, so the catalogue is asked.
func (c *counter) spend(u message.Usage, by session.ModelChange) {
	if c.out.Usage == nil {
		c.out.Usage = &spentJSON{}
	}
	s := c.out.Usage
	s.Calls++
	s.Input += u.Input
	s.Output += u.Output
	s.CacheRead += u.CacheRead
	s.CacheWrite += u.CacheWrite
	s.Total += u.Total()
	usd, known := u.Cost.Total, u.Cost.Total > 0
	if !known {
		usd, known = c.catalogued(u, by)
	}
	if !known {
		s.Unpriced++
		return
	}
	if s.USD == nil {
		s.USD = new(float64)
	}
	*s.USD += usd
}

// catalogued returns the cost by the catalogue's price.
func (c *counter) catalogued(u message.Usage, by session.ModelChange) (usd float64, known bool) {
	if by.ModelID == "" {
		return 0, false
	}
	m, seen := c.models[by]
	if !seen {
		m = c.lookup(by.Provider, by.ModelID)
		c.models[by] = m
	}
	if cost := m.Cost(u); cost != nil {
		return cost.Total, true
	}
	return 0, false
}
