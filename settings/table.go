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

// rule is what applies to a key in addition to its type.
type rule struct {
	guarded bool // has effect in a project's file only if the file is trusted
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
	{"compaction.enabled", "compact automatically when the context gets close to the window", plain},
	{"compaction.reserveTokens", "tokens kept free below the model's window", plain},
	{"compaction.keepRecentTokens", "tokens of the latest messages that stay word for word", plain},
	{"compaction.thresholdTokens", "compact above this many tokens, whatever the window", plain},
	{"compaction.thresholdPercent", "compact above this percentage of the window", plain},
	{"compaction.autoContinue", "continue the work after a compaction in the middle of it", plain},
	{"compaction.continueText", "the message that tells the model to continue", plain},
	{"compaction.remoteEndpoint", "address of a service that writes the summaries", guarded},
	{"compaction.model", "model that writes the summaries; unset: the session's own", guarded},
	{"compaction.request", "serialized, or shared-prefix to use the provider's prompt cache", plain},
	{"compaction.background", "prepare the summary in the background", plain},
	{"compaction.minGain", "smallest share by which a compaction must shrink the view", plain},
	{"compaction.residueTokens", "tokens for facts that the summary lost", plain},
	{"compaction.constraintTokens", "tokens for the user's orders and prohibitions", plain},
	{"compaction.retryOnContradiction", "ask once more for a summary that says what is known to be otherwise", plain},
	{"compaction.modelOverrides", "other values for one model, by provider/model", plain},
	{"branchSummary.enabled", "summarize a branch when you leave it", plain},
	{"branchSummary.reserveTokens", "tokens kept free when a branch is summarized", plain},
	{"branchSummary.skipPrompt", "do not ask whether to summarize", plain},
	{"prune.toolOutput.enabled", "show less of old tool output", plain},
	{"prune.toolOutput.protectTokens", "tokens of the newest results to keep", plain},
	{"prune.toolOutput.minSavings", "smallest number of tokens that pruning must save", plain},
	{"prune.toolOutput.protectedTools", "tools whose results are never pruned as old", plain},
	{"prune.superseded", "show less of a read that a later one repeats", plain},
	{"prune.empty", "show less of results in which nothing was found", plain},
	{"prune.media", "leave out old images when a request gets close to the provider's limits", plain},
	{"prune.horizonTurns", "number of model calls within which pruning below the threshold must pay off", plain},
	{"secrets.patterns", "regular expressions for more secrets to mask, in addition to the known ones", both},
	{"session.dir", "folder of the session files; unset: the default place", plain},
	{"session.sync", "when an append reaches the disk: always, interval or off", plain},
	{"retry.enabled", "retry calls that failed for a temporary reason", plain},
	{"retry.maxRetries", "maximum number of retries", plain},
	{"retry.baseDelayMs", "milliseconds before the first retry; doubled each time", plain},
	{"model", "provider/model to use; unset: the first of providers with a key", guarded},
	{"providers", "providers of models, by name", guarded},
	{"run.maxCalls", "calls of models after which a run is stopped", guarded},
	{"run.maxTokens", "tokens, read and written, after which a run is stopped", guarded},
	{"run.maxUSD", "US dollars, at the known prices, after which a run is stopped", guarded},
	{"windows.trustSettings", "keep a window set in the settings even if a refusal names a smaller one", plain},
	{"permissions.default", "what to do with calls that need permission and match no rule: allow, ask or deny", guarded},
	{"permissions.allow", "calls that run without asking", both},
	{"permissions.ask", "calls that need permission even if allow matches", both},
	{"permissions.deny", "calls that never run", both},
	{"permissions.hiddenEnv", "environment variables that commands do not get, in addition to the keys of providers", both},
	{"hooks", "programs to run at events, by event", both},
	{"mcpServers", "MCP servers whose tools the agent may use, by name", guarded},
	{"errors.patterns", "error classes for texts that are not recognized", adds},
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

// isGroup reports whether name is the first part of some key.
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

// variable returns the environment variable of a key:
// compaction.keepRecentTokens is COPPICE_COMPACTION_KEEP_RECENT_TOKENS.
func variable(key string) string {
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
