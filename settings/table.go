package settings

import (
	"reflect"
	"strings"
	"unicode"
)

// key is one row of the table.
type key struct {
	name string
	help string // one line
	def  reflect.Value
	at   func(*Settings) reflect.Value // the field, addressable
	rule rule
}

// rule is what holds for a key besides its type.
type rule struct {
	guarded bool // counts from a project's file only when that is trusted
	adds    bool // a list that grows from layer to layer
}

func row[T any](name string, def T, at func(*Settings) *T, help string, r ...rule) key {
	k := key{name: name, help: help, def: reflect.ValueOf(&def).Elem(),
		at: func(s *Settings) reflect.Value { return reflect.ValueOf(at(s)).Elem() }}
	if len(r) > 0 {
		k.rule = r[0]
	}
	return k
}

var guarded = rule{guarded: true}

// table holds every key (spec/hooks-settings.md). It is never changed. A text
// or number whose default is zero is unset.
var table = []key{
	row("compaction.enabled", true, func(s *Settings) *bool { return &s.Compaction.Enabled },
		"compact by itself when the context comes near the window"),
	row("compaction.reserveTokens", 16384, func(s *Settings) *int64 { return &s.Compaction.ReserveTokens },
		"tokens kept free below the model's window"),
	row("compaction.keepRecentTokens", 20000, func(s *Settings) *int64 { return &s.Compaction.KeepRecentTokens },
		"tokens of the latest work that stay word for word"),
	row("compaction.thresholdTokens", 0, func(s *Settings) *int64 { return &s.Compaction.ThresholdTokens },
		"compact above this many tokens, whatever the window"),
	row("compaction.thresholdPercent", 0, func(s *Settings) *Percent { return &s.Compaction.ThresholdPercent },
		"compact above this percentage of the window"),
	row("compaction.autoContinue", true, func(s *Settings) *bool { return &s.Compaction.AutoContinue },
		"go on with the work after a compaction in its midst"),
	row("compaction.continueText", "Continue if you have next steps.", func(s *Settings) *string { return &s.Compaction.ContinueText },
		"what is said to the model to go on"),
	row("compaction.remoteEndpoint", "", func(s *Settings) *URL { return &s.Compaction.RemoteEndpoint },
		"address of a service that writes the summaries", guarded),
	row("compaction.model", "", func(s *Settings) *ModelName { return &s.Compaction.Model },
		"model that writes the summaries; unset: the session's own", guarded),
	row("compaction.request", RequestSerialized, func(s *Settings) *RequestForm { return &s.Compaction.Request },
		"serialized, or shared-prefix to use the provider's prompt cache"),
	row("compaction.background", true, func(s *Settings) *bool { return &s.Compaction.Background },
		"prepare the summary while the work goes on"),
	row("compaction.minGain", 0.10, func(s *Settings) *Share { return &s.Compaction.MinGain },
		"least share by which a compaction has to shrink the view"),
	row("compaction.residueTokens", 1000, func(s *Settings) *int64 { return &s.Compaction.ResidueTokens },
		"tokens for facts that the summary forgot"),
	row("compaction.constraintTokens", 2000, func(s *Settings) *int64 { return &s.Compaction.ConstraintTokens },
		"tokens for the user's orders and prohibitions"),
	row("compaction.modelOverrides", nil, func(s *Settings) *map[string]ModelOverride { return &s.Compaction.ModelOverrides },
		"other numbers for one model, by provider/model"),
	row("branchSummary.enabled", false, func(s *Settings) *bool { return &s.BranchSummary.Enabled },
		"summarize a branch when it is left"),
	row("branchSummary.reserveTokens", 16384, func(s *Settings) *int64 { return &s.BranchSummary.ReserveTokens },
		"tokens kept free when a branch is summarized"),
	row("branchSummary.skipPrompt", false, func(s *Settings) *bool { return &s.BranchSummary.SkipPrompt },
		"do not ask whether to summarize"),
	row("prune.toolOutput.enabled", true, func(s *Settings) *bool { return &s.Prune.ToolOutput.Enabled },
		"show less of old tool output"),
	row("prune.toolOutput.protectTokens", 40000, func(s *Settings) *int64 { return &s.Prune.ToolOutput.ProtectTokens },
		"tokens of the newest results that stay"),
	row("prune.toolOutput.minSavings", 20000, func(s *Settings) *int64 { return &s.Prune.ToolOutput.MinSavings },
		"tokens that have to be saved in all"),
	row("prune.toolOutput.protectedTools", []string{"skill", "read"}, func(s *Settings) *[]string { return &s.Prune.ToolOutput.ProtectedTools },
		"tools whose results are never old"),
	row("prune.superseded", true, func(s *Settings) *bool { return &s.Prune.Superseded },
		"show less of a read that a later one repeats"),
	row("prune.empty", true, func(s *Settings) *bool { return &s.Prune.Empty },
		"show less of results in which nothing was found"),
	row("prune.media", true, func(s *Settings) *bool { return &s.Prune.Media },
		"leave out old images when the provider's limits near"),
	row("prune.horizonTurns", 20, func(s *Settings) *int64 { return &s.Prune.HorizonTurns },
		"model calls within which pruning below the threshold has to pay"),
	row("secrets.patterns", nil, func(s *Settings) *[]Pattern { return &s.Secrets.Patterns },
		"regular expressions of more secrets to mask; added to the known shapes", rule{guarded: true, adds: true}),
	row("session.dir", "", func(s *Settings) *string { return &s.Session.Dir },
		"folder of the session files; unset: the default place"),
	row("session.sync", SyncAlways, func(s *Settings) *Sync { return &s.Session.Sync },
		"when an append reaches the disk: always, interval or off"),
	row("retry.enabled", true, func(s *Settings) *bool { return &s.Retry.Enabled },
		"repeat calls that failed for a passing reason"),
	row("retry.maxRetries", 3, func(s *Settings) *int64 { return &s.Retry.MaxRetries },
		"how often at most"),
	row("retry.baseDelayMs", 2000, func(s *Settings) *int64 { return &s.Retry.BaseDelayMs },
		"milliseconds before the first retry; doubles each time"),
	row("model", "", func(s *Settings) *ModelName { return &s.Model },
		"provider/model to work with; unset: the first provider with a key", guarded),
	row("providers", nil, func(s *Settings) *map[string]Provider { return &s.Providers },
		"places to call models at, by name", guarded),
	row("permissions.default", PermissionAsk, func(s *Settings) *Permission { return &s.Permissions.Default },
		"what becomes of calls that need permission and have no rule: allow, ask or deny", guarded),
	row("permissions.allow", nil, func(s *Settings) *[]PermissionRule { return &s.Permissions.Allow },
		"calls that run unasked", rule{guarded: true, adds: true}),
	row("permissions.ask", nil, func(s *Settings) *[]PermissionRule { return &s.Permissions.Ask },
		"calls that need permission, whatever allow says", rule{guarded: true, adds: true}),
	row("permissions.deny", nil, func(s *Settings) *[]PermissionRule { return &s.Permissions.Deny },
		"calls that never run", rule{guarded: true, adds: true}),
	row("hooks", nil, func(s *Settings) *map[HookEvent][]Hook { return &s.Hooks },
		"programs that are told of events and may answer, by event", rule{guarded: true, adds: true}),
	row("mcpServers", nil, func(s *Settings) *map[string]MCPServer { return &s.MCPServers },
		"MCP servers whose tools the agent may use, by name", guarded),
	row("errors.patterns", nil, func(s *Settings) *[]ErrorPattern { return &s.Errors.Patterns },
		"classes for error texts that are not recognized", rule{adds: true}),
}

// Default returns the settings of somebody who configured nothing.
func Default() *Settings {
	s := &Settings{}
	for _, k := range table {
		k.at(s).Set(k.def)
	}
	return s
}

func find(name string) (key, bool) {
	for _, k := range table {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}

// isGroup reports whether name is the front part of some key.
func isGroup(name string) bool {
	for _, k := range table {
		if strings.HasPrefix(k.name, name+".") {
			return true
		}
	}
	return false
}

// Variable returns the environment variable of a key:
// compaction.keepRecentTokens is COPPICE_COMPACTION_KEEP_RECENT_TOKENS.
func Variable(key string) string {
	var b strings.Builder
	b.WriteString("COPPICE_")
	for _, r := range key {
		switch {
		case r == '.':
			b.WriteByte('_')
		case unicode.IsUpper(r):
			b.WriteByte('_')
			b.WriteRune(r)
		default:
			b.WriteRune(unicode.ToUpper(r))
		}
	}
	return b.String()
}
