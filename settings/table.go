package settings

import (
	"strings"
	"unicode"
)

// row is a key.
type row struct {
	name string
	help string // one line
	rule rule
}

// rule is what holds for a key besides its type.
type rule struct {
	guarded bool // counts from a project's file only when that is trusted
	adds    bool // a list that grows from layer to layer
}

var (
	plain   = rule{}
	guarded = rule{guarded: true}
	adds    = rule{adds: true}
	both    = rule{guarded: true, adds: true}
)

// table holds every key, in the order of the listing (docs/settings.md). It is
// never changed.
var table = []row{
	{"compaction.enabled", "compact by itself when the context comes near the window", plain},
	{"compaction.reserveTokens", "tokens kept free below the model's window", plain},
	{"compaction.keepRecentTokens", "tokens of the latest work that stay word for word", plain},
	{"compaction.thresholdTokens", "compact above this many tokens, whatever the window", plain},
	{"compaction.thresholdPercent", "compact above this percentage of the window", plain},
	{"compaction.autoContinue", "go on with the work after a compaction in its midst", plain},
	{"compaction.continueText", "what is said to the model to go on", plain},
	{"compaction.remoteEndpoint", "address of a service that writes the summaries", guarded},
	{"compaction.model", "model that writes the summaries; unset: the session's own", guarded},
	{"compaction.request", "serialized, or shared-prefix to use the provider's prompt cache", plain},
	{"compaction.background", "prepare the summary while the work goes on", plain},
	{"compaction.minGain", "least share by which a compaction has to shrink the view", plain},
	{"compaction.residueTokens", "tokens for facts that the summary forgot", plain},
	{"compaction.constraintTokens", "tokens for the user's orders and prohibitions", plain},
	{"compaction.modelOverrides", "other numbers for one model, by provider/model", plain},
	{"branchSummary.enabled", "summarize a branch when it is left", plain},
	{"branchSummary.reserveTokens", "tokens kept free when a branch is summarized", plain},
	{"branchSummary.skipPrompt", "do not ask whether to summarize", plain},
	{"prune.toolOutput.enabled", "show less of old tool output", plain},
	{"prune.toolOutput.protectTokens", "tokens of the newest results that stay", plain},
	{"prune.toolOutput.minSavings", "tokens that have to be saved in all", plain},
	{"prune.toolOutput.protectedTools", "tools whose results are never old", plain},
	{"prune.superseded", "show less of a read that a later one repeats", plain},
	{"prune.empty", "show less of results in which nothing was found", plain},
	{"prune.media", "leave out old images when the provider's limits near", plain},
	{"prune.horizonTurns", "model calls within which pruning below the threshold has to pay", plain},
	{"secrets.patterns", "regular expressions of more secrets to mask; added to the known shapes", both},
	{"session.dir", "folder of the session files; unset: the default place", plain},
	{"session.sync", "when an append reaches the disk: always, interval or off", plain},
	{"retry.enabled", "repeat calls that failed for a passing reason", plain},
	{"retry.maxRetries", "how often at most", plain},
	{"retry.baseDelayMs", "milliseconds before the first retry; doubles each time", plain},
	{"model", "provider/model to work with; unset: the first provider with a key", guarded},
	{"providers", "places to call models at, by name", guarded},
	{"run.maxCalls", "calls of models after which a run is stopped", plain},
	{"run.maxTokens", "tokens, read and written, after which a run is stopped", plain},
	{"run.maxUSD", "US dollars, at the known prices, after which a run is stopped", plain},
	{"windows.trustSettings", "keep a window that the settings name, whatever a refusal says", plain},
	{"permissions.default", "what becomes of calls that need permission and have no rule: allow, ask or deny", guarded},
	{"permissions.allow", "calls that run unasked", both},
	{"permissions.ask", "calls that need permission, whatever allow says", both},
	{"permissions.deny", "calls that never run", both},
	{"hooks", "programs that are told of events and may answer, by event", both},
	{"mcpServers", "MCP servers whose tools the agent may use, by name", guarded},
	{"errors.patterns", "classes for error texts that are not recognized", adds},
}

// find returns the row of a key.
func find(name string) (row, bool) {
	for _, k := range table {
		if k.name == name {
			return k, true
		}
	}
	return row{}, false
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

func names() []string {
	out := make([]string, len(table))
	for i, k := range table {
		out[i] = k.name
	}
	return out
}

// Variable returns the environment variable of a key:
// compaction.keepRecentTokens is COPPICE_COMPACTION_KEEP_RECENT_TOKENS.
func Variable(key string) string {
	var b strings.Builder
	b.WriteString("COPPICE_")
	capital := false
	for _, r := range key {
		switch {
		case r == '.':
			b.WriteByte('_')
		case unicode.IsUpper(r) && !capital: // the letters of USD are one word
			b.WriteByte('_')
			b.WriteRune(r)
		default:
			b.WriteRune(unicode.ToUpper(r))
		}
		capital = unicode.IsUpper(r)
	}
	return b.String()
}
