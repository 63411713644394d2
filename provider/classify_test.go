package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/message"
)

// row is one text of docs/errors.md with what it means.
type row struct {
	text                   string
	class                  message.Class
	limit, used, requested int64
	retry                  time.Duration
	status                 int
	provider               string
}

const (
	overflow  = message.ClassOverflow
	output    = message.ClassOverflowOutput
	tooBig    = message.ClassBytes
	rateLim   = message.ClassRateLimit
	quota     = message.ClassQuota
	auth      = message.ClassAuth
	badReq    = message.ClassBadRequest
	pairing   = message.ClassPairing
	thinking  = message.ClassThinking
	transient = message.ClassTransient
)

// specRows are the rows of both tables.
var specRows = []row{
	{text: "prompt is too long: 205030 tokens > 200000 maximum", class: overflow, limit: 200000, used: 205030, requested: 205030},
	{text: "input length and `max_tokens` exceed context limit: 196758 + 8192 > 200000, decrease input length or `max_tokens` and try again", class: output, limit: 200000, used: 196758, requested: 8192},
	{text: "Request exceeds the maximum size", class: tooBig, status: 413},
	{text: "Prompt is too long", class: overflow},
	{text: "Conversation too long. Press esc twice to go up a few messages and try again.", class: overflow},
	{text: "API Error: The model has reached its context window limit.", class: overflow},
	{text: "Your input exceeds the context window of this model. Please adjust your input and try again.", class: overflow},
	{text: "Your input exceeds the model's context window", class: overflow},
	{text: "exceeds this model's context window", class: overflow},
	{text: "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens. Please reduce the length of the messages.", class: overflow, limit: 8192, used: 8545, requested: 8545},
	{text: "This model's maximum context length is 8191 tokens, however you requested 10346 tokens (10346 in your prompt; 5 for the completion). Please reduce your prompt; or completion length.", class: overflow, limit: 8191, used: 10346, requested: 10346},
	{text: "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.", class: overflow},
	{text: "The input token count (1237145) exceeds the maximum number of tokens allowed (1048576).", class: overflow, limit: 1048576, used: 1237145, requested: 1237145},
	{text: "The input token count exceeds the maximum number of tokens allowed (1048576).", class: overflow, limit: 1048576},
	{text: "The input token count exceeds the maximum number of tokens allowed 1048576.", class: overflow, limit: 1048576},
	{text: "Input is too long for requested model.", class: overflow},
	{text: "too many input tokens", class: overflow},
	{text: "This model's maximum prompt length is 131072 but the request contains 537812 tokens", class: overflow, limit: 131072, used: 537812, requested: 537812},
	{text: "Please reduce the length of the messages or completion", class: overflow},
	{text: "This endpoint's maximum context length is 262144 tokens. However, you requested about 264896 tokens (52139 of text input, 12757 of tool input, 200000 in the output). Please reduce the length of either one.", class: output, limit: 262144, used: 64896, requested: 264896},
	{text: "This endpoint's maximum context length is 262144 tokens. However, you requested about 264896 tokens (52139 of text input, 12757 of tool input, 200000 in the output). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.", class: output, limit: 262144, used: 64896, requested: 264896},
	{text: "Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length", class: overflow, limit: 131072, used: 140000, requested: 140000},
	{text: "The total length of all messages is too long.", class: overflow},
	{text: "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.", class: output, limit: 131072, used: 122942, requested: 131134},
	{text: "tokens in request more than max tokens allowed", class: overflow},
	{text: `{"code":"1261","message":"Prompt too long"}`, class: overflow, status: 400},
	{text: "model_context_window_exceeded", class: overflow},
	{text: "Your request exceeded model token limit: 131072 (requested: 140321)", class: overflow, limit: 131072, used: 140321, requested: 140321},
	{text: "total message size 10176584 exceeds limit 2097152", class: tooBig, limit: 2097152, used: 10176584, requested: 10176584},
	{text: "invalid params, context window exceeds limit", class: overflow},
	{text: "invalid params, context window exceeds limit (2013)", class: overflow},
	{text: "Range of input length should be [1, 30720]", class: overflow, limit: 30720},
	{text: "prompt token count of 1459028 exceeds the limit of 922000", class: overflow, limit: 922000, used: 1459028, requested: 1459028},
	{text: "The request is too large to send through CAPI Responses. Try shortening the conversation or prompt. (5.5 MB request; 5.0 MB limit)", class: tooBig, limit: 5000000, used: 5500000, requested: 5500000},
	{text: "Requested token count exceeds the model's maximum context length of 256000 tokens", class: overflow, limit: 256000},
	{text: "The estimated number of input and maximum output tokens (270001) exceeded this model context window limit (262144)", class: overflow, limit: 262144, used: 270001, requested: 270001},
	{text: "Input length (265330) exceeds model's maximum context length (262144).", class: overflow, limit: 262144, used: 265330, requested: 265330},
	{text: "The prompt is too long: 267657, model maximum context length: 262143", class: overflow, limit: 262143, used: 267657, requested: 267657},
	{text: "Your request exceeds this model's maximum context length of 204800 tokens. You requested ~269722 tokens (204186 input + 65536 output). Reduce your prompt length or max_tokens and retry.", class: output, limit: 204800, used: 204186, requested: 269722},
	{text: "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens, for a total of at least 262145 tokens.", class: overflow, limit: 262144, used: 262145, requested: 262145},
	{text: "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).", class: output, limit: 4096, used: 2104, requested: 2000},
	{text: "context length is only 32768 tokens", class: overflow, limit: 32768},
	{text: "the request exceeds the available context size. try increasing the context size or enable context shift", class: overflow},
	{text: "the request exceeds the available context size, try increasing it", class: overflow},
	{text: "tokens to keep from the initial prompt is greater than the context length", class: overflow},
	{text: "Context size has been exceeded", class: overflow},
	{text: "Input length 6491 exceeds context length 1500", class: overflow, limit: 1500, used: 6491, requested: 6491},
	{text: "prompt too long; exceeded max context length by 100918 tokens", class: overflow},
	{text: "input length and max_tokens exceed context limit", class: overflow},
	{text: "LLM request rejected: input length and max_tokens exceeded context limit", class: overflow},
	{text: "context_length_exceeded", class: overflow},
	{text: "token limit exceeded", class: overflow},
	{text: "request entity too large", class: tooBig},

	{text: "ThrottlingException: Too many tokens, please wait before trying again.", class: rateLim},
	{text: "Too many tokens per minute", class: rateLim},
	{text: "This request exceeds the limit of 30000 tokens per minute", class: rateLim, limit: 30000},
	{text: "This request would exceed the rate limit for your organization (9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d) of 20,000 input tokens per minute. For details, refer to the documentation. Please reduce the prompt length or the maximum tokens requested, or try again later. You may also contact sales.", class: rateLim, limit: 20000},
	{text: "This request would exceed your organization's rate limit of 30,000 input tokens per minute (org: 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d, model: claude-sonnet-4-5)", class: rateLim, limit: 30000},
	{text: "Rate limit reached for gpt-4o in organization org-abc123 on tokens per min (TPM): Limit 30000, Used 14567, Requested 24754. Please try again in 18.642s.", class: rateLim, limit: 30000, used: 14567, requested: 24754, retry: 18642 * time.Millisecond},
	{text: "Rate limit reached for model `llama` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s.", class: rateLim, limit: 6000, used: 5034, requested: 1443, retry: 4770 * time.Millisecond},
	{text: "Request too large for model `llama-3.1-8b-instant` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 14810, please reduce your message size and try again.", class: overflow, limit: 6000, requested: 14810},
	{text: "Request too large for gpt-4o in organization org-abc123 on tokens per min (TPM): Limit 30000, Requested 31538. The input or output tokens must be reduced in order to run successfully.", class: overflow, limit: 30000, requested: 31538},
	{text: "Extra usage is required for long context requests.", class: overflow, limit: 200000},
	{text: "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", class: output, limit: 8192},
	{text: "max_tokens must be less than or equal to 16384, the maximum value for max_tokens is less than the context_window for this model", class: output, limit: 16384},
	{text: "The toolConfig field must be defined when using toolUse and toolResult content blocks.", class: badReq, status: 400},
	{text: "messages.8.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_01. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", class: pairing},
	{text: "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", class: pairing},
	{text: "No tool call found for function call output with call_id call_abc.", class: pairing},
	{text: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'", class: pairing},
	{text: "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1", class: pairing},
	{text: "Item 'fc_01' of type 'function_call' was provided without its required 'reasoning' item: 'rs_01'.", class: thinking},
	{text: "Item 'rs_01' of type 'reasoning' was provided without its required following item.", class: thinking},
	{text: "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.", class: thinking},
	{text: "This model does not support assistant message prefill. The conversation must end with a user message.", class: badReq},
	{text: "A maximum of 4 blocks with cache_control may be provided. Found 5.", class: badReq, limit: 4, used: 5, requested: 5},
	{text: "The request body is not valid JSON: no low surrogate in string: line 1 column 70341 (char 70340)", class: badReq},
	{text: "The encrypted content gAAAAABpX could not be verified.", class: thinking},
	{text: "messages: text content blocks must be non-empty", class: badReq},
	{text: "text content is empty", class: badReq},
	{text: "messages.67.content.0.compaction.content: content can't be empty", class: badReq},
}

// otherRows are texts that no table has: newer vendors, other wordings, and
// the structured forms.
var otherRows = []row{
	{text: "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block", class: thinking, status: 400},
	{text: "At least one of the image dimensions exceed max allowed size: 8000 pixels", class: badReq, status: 400, limit: 8000},
	{text: `{"error":{"message":"Budget has been exceeded! Current cost: 1.2, Max budget: 1.0","type":"budget_exceeded","code":"400"}}`, class: quota, status: 400},
	{text: `{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}`, class: quota, status: 400},
	{text: `{"error":{"message":"Model capacity exceeded","type":"capacity_exceeded"}}`, class: transient, status: 498},
	{text: "ModelErrorException: The system encountered an unexpected error during processing. Try your request again.", class: transient, status: 424},
	{text: `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, class: badReq, status: 500},
	{text: `{"error":"model requires more system memory (9.1 GiB) than is available (7.2 GiB)"}`, class: badReq, status: 500},
	{text: "dial tcp: lookup api.example.com: no such host", class: transient},
	{text: "http2: server sent GOAWAY and closed the connection", class: transient},
	{text: "stream error: stream ID 3; INTERNAL_ERROR; received from peer", class: transient},
	{text: `litellm.APIError: AnthropicException - b'{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}'`, class: auth, status: 500},
	{text: `litellm.APIError: Incorrect API key provided: sk-xxx`, class: auth, status: 500},
	{text: `API Error: 400 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, class: transient, status: 400},
	{text: `{"error":{"message":"{\"error\":{\"message\":\"The model is currently overloaded\"}}"}}`, class: transient, status: 400},
	{text: `{"error":"server busy, please try again.  maximum pending requests exceeded"}`, class: transient, status: 400},
	{text: "400 status code (no body)", class: overflow, provider: "cerebras"},
	{text: "400 status code (no body)", class: overflow, provider: "mistral"},
	{text: "400 status code (no body)", class: badReq, provider: "openai"},
	{text: `{"error":{"message":"400 status code (no body)"}}`, class: overflow, provider: "cerebras"},
	{text: `{"status":"failed","detail":"got 400 status code (no body)"}`, class: overflow, provider: "cerebras"},
	{text: "413 status code (no body)", class: tooBig},
	{text: `HTTP 413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, class: tooBig},
	{text: `HTTP 400 {"code":"1261","message":"Prompt too long"}`, class: overflow},
	{text: `{"error":{"code":"1210","message":"tokens in request more than max tokens allowed"}}`, class: overflow},
	{text: `{"error":{"message":"Sorry.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`, class: overflow},
	{text: `{"error":{"message":"This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion).","code":"context_length_exceeded"}}`, class: output, limit: 131072, used: 122942, requested: 131134},
	{text: `{"choices":[{"finish_reason":"model_context_window_exceeded"}]}`, class: overflow},
	{text: `{"error":{"type":"rate_limit_error","message":"Input is too long for requested model."}}`, class: overflow, status: 429},
	{text: "429 status code (no body)", class: rateLim},
	{text: "", status: 503, class: transient},
	{text: `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":10000,"n_ctx":4096}}`, status: 500, class: overflow, limit: 4096, used: 10000, requested: 10000},
	{text: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, status: 529, class: transient},
	{text: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, class: transient},
	{text: `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, status: 401, class: auth},
	{text: `{"error":{"code":403,"message":"Permission denied on resource","status":"PERMISSION_DENIED"}}`, status: 403, class: auth},
	{text: "API key not valid. Please pass a valid API key.", status: 400, class: auth},
	{text: "You exceeded your current quota, please check your plan and billing details.", status: 429, class: quota},
	{text: `{"error":{"message":"x","code":"insufficient_quota"}}`, status: 429, class: quota},
	{text: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.", status: 400, class: quota},
	{text: "Insufficient Balance", status: 402, class: quota},
	{text: `You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generate_content_free_tier_input_token_count, limit: 250000 Please retry in 37.5s. "retryDelay": "37s"`, status: 429, class: rateLim, limit: 250000, retry: 37500 * time.Millisecond},
	{text: "Rate limit reached on tokens per day (TPD): Limit 100000, Used 99500, Requested 1500. Please try again in 14m24s.", class: rateLim, limit: 100000, used: 99500, requested: 1500, retry: 14*time.Minute + 24*time.Second},
	{text: "This request of 50,000 tokens exceeds the limit of 30,000 tokens per minute", class: overflow, limit: 30000, requested: 50000},

	{text: "The input (516368 tokens) is longer than the model's context length (262144 tokens).", class: overflow, limit: 262144, used: 516368, requested: 516368},
	{text: "exceeds the maximum allowed input length of 131040 tokens", class: overflow, limit: 131040},
	{text: "Prompt has 40000 tokens, but the configured context size is 32768 tokens", class: overflow, limit: 32768, used: 40000, requested: 40000},
	{text: "Prompt exceeds max length", class: overflow},
	{text: "litellm.ContextWindowExceededError: Context Window exceeded", class: overflow},
	{text: "Trying to keep the first 10405 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.", class: overflow, limit: 4096, used: 10405, requested: 10405},
	{text: "Your prompt of 150000 tokens does not fit into the 131072-token context of this model.", class: overflow, limit: 131072, used: 150000, requested: 150000},
	{text: "Sequence length 9000 is longer than the maximum 8192", class: overflow, limit: 8192, used: 9000, requested: 9000},
	{text: "The conversation history has grown past the model's limit", class: overflow},
	{text: "request has 40,000 tokens; this model accepts at most 32,768", class: overflow, limit: 32768, used: 40000, requested: 40000},
	{text: "Token count 210k is above the limit 200k for this deployment", class: overflow, limit: 200000, used: 210000, requested: 210000},
	{text: "We can only process 65536 tokens; you sent 70112", class: overflow, limit: 65536, used: 70112, requested: 70112},
	{text: "Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 3000 instead.", status: 400, class: badReq, limit: 2048, used: 3000, requested: 3000},

	{text: "context deadline exceeded", class: transient},
	{text: "upstream connect error or disconnect/reset before headers. reset reason: overflow", status: 503, class: transient},
	{text: "The cached content is of 1171 tokens. The minimum token count to start caching is 4096.", status: 400, class: badReq},
	{text: "Your authentication token has exceeded its lifetime", status: 401, class: auth},
	{text: "Invalid 'max_tokens': integer above maximum value. Expected a value <= 32768, but got 65536 instead.", class: output, limit: 32768, requested: 65536},
	{text: "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-opus-4-5", class: output, limit: 64000, requested: 128000},
	{text: "max_tokens is too large: 64000. This model supports at most 16384 completion tokens, whereas you provided 64000.", class: output, limit: 16384, requested: 64000},
	{text: "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive).", class: output, limit: 65536, requested: 100000},
	{text: "Request payload size exceeds the limit: 20971520 bytes.", class: tooBig, limit: 20971520},
	{text: "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes", class: tooBig, limit: 5242880, used: 6291456, requested: 6291456},
	{text: "<html><head><title>413 Request Entity Too Large</title></head><body><center>nginx/1.18.0</center></body></html>", status: 413, class: tooBig},
	{text: "Please ensure that function call turn comes immediately after a user turn or after a function response turn.", class: pairing},
	{text: "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.", class: pairing},
	{text: "messages.1.content.0: Invalid `signature` in `thinking` block", class: thinking},
	{text: "Expected `thinking` or `redacted_thinking`, but found `text`. When `thinking` is enabled, a final `assistant` message must start with a thinking block", class: thinking},
	{text: "The `reasoning_content` in the thinking mode must be passed back to the API.", class: thinking},
	{text: "`max_tokens` must be greater than `thinking.budget_tokens`", status: 400, class: badReq},
	{text: "Unsupported value: 'temperature' does not support 0.2 with this model.", status: 400, class: badReq},
	{text: "The model `gpt-9` does not exist", status: 404, class: badReq},
	{text: "Invalid prompt: your prompt was flagged as potentially violating our usage policy", status: 400, class: badReq},
	{text: "nothing that anybody knows", class: message.ClassUnknown},
}

func checkFault(t interface {
	Helper()
	Errorf(string, ...any)
}, name string, r row, f message.Fault) {
	t.Helper()
	if f.Class != r.class || f.Limit.Max != r.limit || f.Limit.Used != r.used || f.Requested != r.requested || f.RetryAfter != r.retry {
		t.Errorf("%s: %s\n got %s limit=%d used=%d requested=%d retry=%v\nwant %s limit=%d used=%d requested=%d retry=%v", name, r.text,
			f.Class, f.Limit.Max, f.Limit.Used, f.Requested, f.RetryAfter, r.class, r.limit, r.used, r.requested, r.retry)
	}
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func wrapError(s string) string { return `{"error":{"message":` + quote(s) + `}}` }

// wrappers are the ways in which errors arrive wrapped.
var wrappers = map[string]func(string) string{
	"error object":  wrapError,
	"escaped twice": func(s string) string { return wrapError(wrapError(s)) },
	"upper case":    strings.ToUpper,
	"stream event":  func(s string) string { return "event: error\ndata: " + wrapError(s) + "\n\n" },
	"code": func(s string) string {
		return `{"error":{"code":400,"type":"invalid_request_error","message":` + quote(s) + `}}`
	},
	"vendor": func(s string) string { return "Error code: 400 - " + wrapError(s) },
	"python": func(s string) string {
		return "litellm.BadRequestError: OpenAIException - b'" + strings.ReplaceAll(wrapError(s), "'", `\'`) + "'"
	},
	"raw": func(s string) string {
		return `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":` + quote(wrapError(s)) + `,"provider_name":"x"}}}`
	},
	"html": func(s string) string {
		return "<html><body><p>" + strings.NewReplacer("&", "&amp;", ">", "&gt;", "'", "&#39;").Replace(s) + "</p></body></html>"
	},
	"param": func(s string) string {
		return `data: {"error":{"code":"400","message":"Param Incorrect","param":` + quote(s) + `,"type":""}}`
	},
	"string in error": func(s string) string {
		return `{"error":` + quote(`{"error":{"message":`+quote(s)+`,"code":400}}`) + `}`
	},
	"aws": func(s string) string {
		return `{"__type":"com.amazonaws#ValidationException","message":` + quote(s) + `}`
	},
	"list": func(s string) string {
		return `[{"error":{"code":400,"message":` + quote(s) + `,"status":"INVALID_ARGUMENT"}}]`
	},
	"azure": func(s string) string {
		return `{"error":{"message":` + quote(s) + `,"type":"invalid_request_error","param":null,"code":null,"innererror":{"code":"BadRequest"}},"request_id":"req_011CQ9x2u","requestId":"2b1f"}`
	},
	"prefix": func(s string) string { return "API Error: 400 " + wrapError(s) },
	"suffix": func(s string) string {
		return "litellm.BadRequestError: " + s + "\nReceived Model Group=claude\nAvailable Model Group Fallbacks=None LiteLLM Retried: 1 times, LiteLLM Max Retries: 2"
	},
	"gateway": func(s string) string {
		return `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":` + quote(s) + `,"provider_name":"Anthropic","is_byok":false,"previous_errors":[]}},"user_id":"user_2x"}`
	},
	"stack": func(s string) string {
		return "Error: " + s + "\n    at APIError.generate (/app/node_modules/openai/error.js:45:20)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)"
	},
}

func TestClassifySpecRows(t *testing.T) {
	names := slices.Sorted(maps.Keys(wrappers))
	for i, r := range specRows {
		checkFault(t, "bare", r, Classify(Response{Body: []byte(r.text), Status: r.status}))
		for j, name := range names {
			if amount.Tries(4, i, j) {
				checkFault(t, name, r, Classify(Response{Body: []byte(wrappers[name](r.text)), Status: r.status}))
			}
		}
	}
}

func TestClassifyAnyStatus(t *testing.T) {
	for i, r := range specRows {
		for j, status := range []int{200, 400, 403, 413, 429, 500} {
			if !amount.Tries(2, i, j) {
				continue
			}
			checkFault(t, fmt.Sprint(status), r, Classify(Response{Body: []byte(r.text), Status: status}))
		}
	}
}

func TestClassifyOtherRows(t *testing.T) {
	for _, r := range otherRows {
		checkFault(t, "bare", r, Classify(Response{Body: []byte(r.text), Status: r.status, Provider: r.provider}))
	}
}

// Less output helps only where enough room for an answer is left.
func TestClassifyOutputAction(t *testing.T) {
	for text, want := range map[string]message.Remedy{
		"input length and `max_tokens` exceed context limit: 196758 + 8192 > 200000":                               "compact",
		"input length and `max_tokens` exceed context limit: 10 + 8192 > 4096":                                     "reduce-output",
		"input length and `max_tokens` exceed context limit: 150000 + 64000 > 200000":                              "reduce-output",
		"you requested about 264896 tokens (64896 of text input, 200000 in the output), maximum context is 262144": "reduce-output",
		"Invalid max_tokens value, the valid range of max_tokens is [1, 2048]":                                     "reduce-output",
	} {
		f := Classify(Response{Status: 400, Body: []byte(text)})
		if f.Class != output || f.Remedies()[0] != want {
			t.Errorf("%s: got %s, %s; want %s", text, f.Class, f.Remedies()[0], want)
		}
	}
}

func TestClassifySizes(t *testing.T) {
	for _, c := range []struct {
		name string
		in   Response
		want message.Class
	}{
		{"empty 400, nearly full", Response{Status: 400, Estimate: 170000, Window: 200000}, overflow},
		{"empty 400, half full", Response{Status: 400, Estimate: 100000, Window: 200000}, badReq},
		{"unknown 400, nearly full", Response{Status: 400, Body: []byte("no"), Estimate: 940000, Window: 1000000}, overflow},
		{"unknown 400, half full", Response{Status: 400, Body: []byte("no"), Estimate: 500000, Window: 1000000}, badReq},
		{"known 400, nearly full", Response{Status: 400, Body: []byte("text content is empty"), Estimate: 940000, Window: 1000000}, badReq},
	} {
		if got := Classify(c.in).Class; got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestClassifyLoneNumberNearWindow(t *testing.T) {
	f := Classify(Response{Body: []byte("prompt overflow, 131072"), Window: 131000})
	if f.Class != overflow || f.Limit.Max != 131072 {
		t.Errorf("got %+v", f)
	}
}

func TestClassifyPatterns(t *testing.T) {
	own := []Pattern{
		{Class: overflow, Text: "zu langer Kontext"},
		{Class: overflow, Text: "internal budget", Not: true},
		{Class: quota, Text: "budget ([a-z"}, // does not compile
	}
	for text, want := range map[string]message.Class{
		"Fehler: ZU LANGER KONTEXT (4096)":             overflow,
		"prompt is too long for the internal budget":   badReq,
		"prompt is too long":                           overflow,
		"your BUDGET ([A-Z is spent; prompt too long ": quota,
	} {
		if got := Classify(Response{Status: 400, Body: []byte(text), Patterns: own}).Class; got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestClassifyRetryAfter(t *testing.T) {
	h := func(kv ...string) http.Header {
		out := http.Header{}
		for i := 0; i < len(kv); i += 2 {
			out.Set(kv[i], kv[i+1])
		}
		return out
	}
	for _, c := range []struct {
		header http.Header
		body   string
		want   time.Duration
	}{
		{h("Retry-After", "7"), "", 7 * time.Second},
		{h("Retry-After", "0.5"), "", 500 * time.Millisecond},
		{h("Retry-After-Ms", "250", "Retry-After", "1"), "", 250 * time.Millisecond},
		{h("Retry-After", "Wed, 21 Oct 2026 07:28:30 GMT", "Date", "Wed, 21 Oct 2026 07:28:00 GMT"), "", 30 * time.Second},
		{h("Retry-After", "Wed, 21 Oct 2026 07:28:30 GMT"), "", 0},
		{h("Retry-After", "NaN"), "", 0},
		{h("Retry-After", "-3"), "", 0},
		{h("Retry-After", "1e300"), "", maxWait},
		{nil, "please try again in 523ms", 523 * time.Millisecond},
		{nil, "try again in 1m30s", 90 * time.Second},
		{nil, "try again in 2 minutes", 2 * time.Minute},
		{nil, "Retry after 20 seconds", 20 * time.Second},
		{nil, `"retryDelay": "37s"`, 37 * time.Second},
		{nil, `{"type":"usage","resets_in_seconds":90}`, 90 * time.Second},
		{nil, "try again later", 0},
	} {
		if got := Classify(Response{Status: 429, Header: c.header, Body: []byte(c.body)}).RetryAfter; got != c.want {
			t.Errorf("%v %q: got %v, want %v", c.header, c.body, got, c.want)
		}
	}
}

func TestClassifyMessage(t *testing.T) {
	for body, want := range map[string]string{
		"plain words": "plain words",
		`{"error":{"message":"prompt is too long","type":"x"}}`: "prompt is too long",
		`{"error":"as a string"}`:                               "as a string",
		`[{"error":{"code":400,"message":"in a list"}}]`:        "in a list",
		wrappers["python"]("deep down"):                         "deep down",
		wrappers["raw"]("what the vendor said"):                 "what the vendor said",
		wrappers["stream event"]("in a stream"):                 "in a stream",
		`{"code":7}`:                                            `{"code":7}`,
		"<html><title>413 Too Large</title></html>":             "413 Too Large",
		"": "",
	} {
		if got := Classify(Response{Body: []byte(body)}).Message; got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

// wrapped wraps a text up to three times.
func wrapped(t *rapid.T, text string) string {
	names := slices.Sorted(maps.Keys(wrappers))
	names = slices.DeleteFunc(names, func(n string) bool { return n == "upper case" }) // only once: an upper-case escape is not an escape
	if rapid.Bool().Draw(t, "upper") {
		text = strings.ToUpper(text)
	}
	for range rapid.IntRange(0, 3).Draw(t, "layers") {
		text = wrappers[rapid.SampledFrom(names).Draw(t, "wrapper")](text)
	}
	return text
}

// Wrapping never changes what a text means.
func TestClassifyWrapping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(specRows).Draw(t, "row")
		checkFault(t, "wrapped", r, Classify(Response{Body: []byte(wrapped(t, r.text)), Status: r.status}))
	})
}

// Gateways and their status do not change the class of a known text either, if
// its words alone decide it.
func TestWrappingKeepsTheClass(t *testing.T) {
	type text struct {
		words, provider string
		class           message.Class
	}
	var texts []text
	for _, r := range vendorRows {
		class, _, _ := strings.Cut(r.want, ",")
		byWords := Classify(Response{Provider: r.provider, Body: []byte(r.text)}).Class == message.Class(class)
		if byWords && r.text[0] != '{' && r.text[0] != '<' && !strings.HasPrefix(r.text, "data:") { // those are wrapped already
			texts = append(texts, text{r.text, r.provider, message.Class(class)})
		}
	}
	for _, b := range phraseBlocks() {
		if want := meant[b.name]; len(want) == 1 {
			for _, p := range b.phrases {
				if p.witness[0] != '{' && p.witness[0] != '<' {
					texts = append(texts, text{p.witness, "", Classify(Response{Body: []byte(p.witness)}).Class})
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SampledFrom(texts).Draw(t, "text")
		statuses := []int{0, 200, 400, 413, 500}
		switch x.class {
		case rateLim, quota:
			statuses = append(statuses, 429)
		case auth:
			statuses = []int{0, 200, 400, 401, 403}
		case transient:
			statuses = []int{0, 200, 500, 503, 429}
		}
		r := Response{Provider: x.provider, Status: rapid.SampledFrom(statuses).Draw(t, "status")}
		r.Body = []byte(wrapped(t, x.words))
		if x.class == transient && strings.Contains(string(r.Body), "400") {
			return // a gateway that calls the request bad is believed
		}
		if got := Classify(r).Class; got != x.class {
			t.Fatalf("%d %s\n got %s, want %s", r.Status, r.Body, got, x.class)
		}
	})
}

// Any numbers are read from the places where the shape has them.
func TestClassifyNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(2000, 2_000_000).Draw(t, "limit")
		size := limit + rapid.Int64Range(1, 2_000_000).Draw(t, "excess")
		format := rapid.SampledFrom([]string{
			"prompt is too long: %[2]d tokens > %[1]d maximum",
			"Input length (%[2]d) exceeds model's maximum context length (%[1]d).",
			"The prompt has %[2]d tokens but this model only supports %[1]d tokens of context.",
			"maximum context is %[1]d tokens, got %[2]d",
			"Context window of %[1]d tokens exceeded: your messages contain %[2]d tokens",
			"%[2]d tokens were sent, %[1]d tokens is the maximum",
		}).Draw(t, "format")
		f := Classify(Response{Status: 400, Body: fmt.Appendf(nil, format, limit, size)})
		if f.Class != overflow || f.Limit.Max != limit || f.Limit.Used != size {
			t.Fatalf("%s: got %s limit=%d used=%d, want %d, %d", f.Message, f.Class, f.Limit.Max, f.Limit.Used, limit, size)
		}
	})
}

func FuzzClassify(f *testing.F) {
	for _, r := range specRows {
		f.Add([]byte(r.text), 400, "1")
		f.Add([]byte(wrapError(wrapError(r.text))), 429, "")
	}
	f.Add([]byte(`\\\\u00`), 0, "Wed, 21 Oct 2026 07:28:30 GMT")
	f.Add([]byte("{\"error\":[{},[\"\\ud83d\\ude00\"]]}\xff"), 200, "NaN")
	f.Add([]byte("99999999999999999999 + 9,9,9 > 0 tokens"), 413, "1e999")
	f.Fuzz(func(t *testing.T, body []byte, status int, retryAfter string) {
		got := Classify(Response{Status: status, Body: body, Header: http.Header{"Retry-After": {retryAfter}}})
		if got.Class == "" {
			t.Error("no class")
		}
		if got.Limit.Max < 0 || got.Limit.Used < 0 || got.Requested < 0 || got.RetryAfter < 0 || got.RetryAfter > maxWait {
			t.Errorf("number out of range: %+v", got)
		}
		again := Classify(Response{Status: status, Body: body, Header: http.Header{"Retry-After": {retryAfter}}})
		if again.Class != got.Class || again.Limit != got.Limit || again.Message != got.Message {
			t.Error("not the same twice")
		}
	})
}
