package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/agent/mcp"
	"github.com/coppice-dev/coppice/agent/tools"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/settings"
	"github.com/coppice-dev/coppice/summarize"
)

// config is what the user configured, in the types of the packages that use
// it, and where each value came from.
type config struct {
	compaction compaction.Settings
	summaries  summarize.Settings
	agent      agent.Settings
	run        agent.Limits
	branches   compaction.BranchSettings
	prompts    struct {
		SkipPrompt bool `json:"skipPrompt"`
	}
	prune       prune.Settings
	secrets     settings.Secrets
	session     filestore.Settings
	models      provider.Config
	permissions tools.Rules
	hooks       hook.Settings
	servers     mcp.Settings

	*settings.Result
}

// parts lists every settings type. Unknown keys can be reported only when all
// types are handed in.
func (c *config) parts() []settings.Part {
	parts := []settings.Part{
		{Key: "compaction", Into: &c.compaction}, {Key: "compaction", Into: &c.summaries}, {Key: "compaction", Into: &c.agent}, {Key: "run", Into: &c.run},
		{Key: "branchSummary", Into: &c.branches}, {Key: "branchSummary", Into: &c.prompts},
		{Key: "prune", Into: &c.prune}, {Key: "secrets", Into: &c.secrets}, {Key: "session", Into: &c.session},
		{Into: &c.models}, {Key: "permissions", Into: &c.permissions}, {Into: &c.hooks}, {Into: &c.servers},
	}
	for _, p := range parts {
		if d, ok := p.Into.(interface{ EnsureDefaults() }); ok {
			d.EnsureDefaults()
		}
	}
	return parts
}

// settings loads the settings once and warns about what is wrong in them.
func (a *app) settings() *config {
	if a.loaded != nil {
		return a.loaded
	}
	c, problems := loadConfig(a.settingsFiles())
	a.loaded = c
	for _, p := range problems {
		a.warn("settings: %v", p)
	}
	if f := c.Project; f != nil && len(f.Ignored) > 0 {
		a.warn("settings: %s in %s have no effect until you trust the file: coppice settings trust", strings.Join(f.Ignored, ", "), f.Path)
	}
	return c
}

func loadConfig(o settings.Options) (*config, []settings.Problem) {
	c := &config{}
	var problems []settings.Problem
	c.Result, problems = settings.Load(o, c.parts()...)
	return c, problems
}

// settingsFiles says where settings are found.
func (a *app) settingsFiles() settings.Options {
	return settings.Options{Project: a.Dir, Getenv: a.Getenv, ReadFile: readRegular}
}

// readRegular reads a file. It does not open pipes, which could block.
func readRegular(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	return os.ReadFile(name)
}
