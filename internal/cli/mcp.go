package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/agent/mcp"
)

// startServers starts the MCP servers of the settings. It reports their state
// as events, or on standard error.
func (a *app) startServers(ctx context.Context, asJSON bool) *mcp.Servers {
	mask := a.masker()
	return mcp.Start(ctx, mcp.Options{Servers: a.mcpServers(), Dir: a.Dir, Getenv: a.Getenv, Version: a.Version, Report: func(e mcp.Event) {
		e.Error = mask(e.Error)
		if asJSON {
			a.json(e)
			return
		}
		a.sayServer(e)
	}})
}

func (a *app) sayServer(e mcp.Event) {
	name := visible(e.Server)
	switch e.State {
	case mcp.Ready:
		fmt.Fprintf(a.Err, "mcp server %s is ready, tools: %d\n", name, e.Tools)
	case mcp.Changed:
		fmt.Fprintf(a.Err, "mcp server %s: its tools changed; the next run will use the new ones\n", name)
	default:
		a.warn("mcp server %s %s: %s", name, e.State, visible(e.Error))
	}
}

// mcpServers are the servers of the settings, by name. An empty one was
// removed by a later file.
func (a *app) mcpServers() []mcp.Server {
	var out []mcp.Server
	all := a.settings().servers.Servers
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		if s.Command == "" && s.URL == "" {
			continue
		}
		if strings.HasPrefix(s.Command, "~/") {
			s.Command = a.abs(s.Command)
		}
		s.Name = name
		out = append(out, s)
	}
	return out
}
