package anthropic

import "github.com/coppice-dev/coppice/wire/internal/check"

// What the vendor refuses, in addition to the rules of all vendors.
var (
	noMessages = check.Rule{Kind: "no-messages", Cites: "messages: at least one message is required"}
	firstRole  = check.Rule{Kind: "first-role", Cites: `messages: first message must use the "user" role`}
	roleOrder  = check.Rule{Kind: "role-order", Cites: `messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row`}
	badRole    = check.Rule{Kind: "bad-role", Cites: "messages.0.role: Input should be 'user' or 'assistant'"}

	emptyContent = check.Rule{Kind: "empty-content", Cites: "messages.N: all messages must have non-empty content except for the optional final assistant message"}

	unpairedCall   = check.Rule{Kind: "unpaired-call", Cites: "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: …"}
	unpairedResult = check.Rule{Kind: "unpaired-result", Cites: "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: … Each `tool_result` block must have a corresponding `tool_use` block in the previous message."}
	resultOrder    = check.Rule{Kind: "result-order", Cites: "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: …"}
	repeatedResult = check.Rule{Kind: "duplicate-result", Cites: "each tool_use must have a single result. Found multiple `tool_result` blocks with id: …"}
	errorMedia     = check.Rule{Kind: "error-result-media", Cites: "messages.N.content.M: all content must be type \"text\" if `is_error` is true"}
	emptyError     = check.Rule{Kind: "empty-error-result", Cites: "messages.N.content.M: content cannot be empty if `is_error` is true"}
	repeatedID     = check.Rule{Kind: "duplicate-id", Cites: "messages: `tool_use` ids must be unique"}
	badID          = check.Rule{Kind: "invalid-id", Cites: "messages.N.content.M.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"}
	badInput       = check.Rule{Kind: "invalid-arguments", Cites: "messages.N.content.M.tool_use.input: Input should be a valid dictionary"}

	repeatedTool = check.Rule{Kind: "duplicate-tool", Cites: "tools: Tool names must be unique."}
	badTool      = check.Rule{Kind: "invalid-tool-name", Cites: "tools.N.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"}
	noTools      = check.Rule{Kind: "missing-tools", Cites: "The toolConfig field must be defined when using toolUse and toolResult content blocks."}

	manyMarks    = check.Rule{Kind: "cache-marks", Cites: "A maximum of 4 blocks with cache_control may be provided. Found 5."}
	thinkingMark = check.Rule{Kind: "cache-mark-place", Cites: "messages.N.content.M.thinking.cache_control: Extra inputs are not permitted"}
	markOrder    = check.Rule{Kind: "cache-mark-order", Cites: "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"}

	unsigned      = check.Rule{Kind: "unsigned-thinking", Cites: "messages.N.content.M.thinking.signature: Field required"}
	thinkingLast  = check.Rule{Kind: "thinking-last", Cites: "messages.N: The final block in an assistant message cannot be `thinking`."}
	thinkingFirst = check.Rule{Kind: "thinking-first", Cites: "messages.N.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block"}
	budgetSize    = check.Rule{Kind: "thinking-budget", Cites: "`max_tokens` must be greater than `thinking.budget_tokens`"}
)
