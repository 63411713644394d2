package settings_test

import (
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/agent/mcp"
	"github.com/coppice-dev/coppice/agent/tools"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/internal/secret"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/settings"
	"github.com/coppice-dev/coppice/summarize"
)

// everything is what a command line passes in.
type everything struct {
	Compaction compaction.Settings
	Summaries  summarize.Settings
	Agent      agent.Settings
	Run        agent.Limits
	Branches   compaction.BranchSettings
	Prompts    struct {
		SkipPrompt bool `json:"skipPrompt"`
	}
	Prune       prune.Settings
	Secrets     secret.Settings
	Session     filestore.Settings
	Config      provider.Config
	Permissions tools.Rules
	Hooks       hook.Settings
	Servers     mcp.Settings

	*settings.Result
}

func (e *everything) parts() []settings.Part {
	e.Compaction.EnsureDefaults()
	e.Summaries.EnsureDefaults()
	e.Agent.EnsureDefaults()
	e.Branches.EnsureDefaults()
	e.Prune.EnsureDefaults()
	e.Session.EnsureDefaults()
	e.Config.EnsureDefaults()
	e.Permissions.EnsureDefaults()
	return []settings.Part{{"compaction", &e.Compaction}, {"compaction", &e.Summaries}, {"compaction", &e.Agent}, {"run", &e.Run}, {"branchSummary", &e.Branches},
		{"branchSummary", &e.Prompts}, {"prune", &e.Prune}, {"secrets", &e.Secrets}, {"session", &e.Session}, {"", &e.Config},
		{"permissions", &e.Permissions}, {"", &e.Hooks}, {"", &e.Servers}}
}

func resolve(in settings.Input) (*everything, []settings.Problem) {
	e := &everything{}
	var problems []settings.Problem
	e.Result, problems = settings.Resolve(in, e.parts()...)
	return e, problems
}

func load(o settings.Options) (*everything, []settings.Problem) {
	e := &everything{}
	var problems []settings.Problem
	e.Result, problems = settings.Load(o, e.parts()...)
	return e, problems
}

func all() []settings.Part { return new(everything).parts() }
