package provider

import (
	"testing"

	"github.com/coppice-dev/coppice/message"
)

// Wordings that no table lists are judged by their shape.
func TestClassifyUnseen(t *testing.T) {
	for _, c := range []struct {
		status int
		want   message.Class
		text   string
	}{
		{400, overflow, "The request was rejected because it has 300,000 tokens and the model can handle 262,144."},
		{400, overflow, "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 310000 tokens. Please reduce the length of the messages."},
		{400, output, "This model's maximum context length is 4097 tokens, however you requested 4200 tokens (200 in the messages, 4000 in the completion)"},
		{400, overflow, "inputs tokens + max_new_tokens must be <= 4096. Given: 5000 inputs tokens and 100 max_new_tokens"},
		{400, overflow, "`inputs` must have less than 1024 tokens. Given: 2000"},
		{400, output, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 8000 `inputs` tokens and 1024 `max_new_tokens`"},
		{400, overflow, "Prompt length (9000) is greater than max_seq_len 8192"},
		{400, overflow, "too many total text tokens: 5000 > 4096"},
		{400, overflow, "Please use fewer tokens: 5000 given, limit 4096"},
		{400, overflow, "the context is full"},
		{400, overflow, "Failed to generate: KV cache is full, context of 8192 exhausted"},
		{400, overflow, "input is too long: total of 45000 tokens, model max 32000"},
		{400, overflow, "validation error: 'prompt' exceeds token budget by 3000 tokens"},
		{400, overflow, "The text is 500000 tokens long, which won't fit in a window of 200000"},
		{400, overflow, "Too much context: 220k/200k tokens"},
		{400, overflow, "requested tokens (8500) exceed context window of 8192"},
		{400, overflow, "Requested tokens (70000) exceed context window of 65536"},
		{500, overflow, "exceed_context_size: n_prompt=5000 n_ctx=4096"},
		{400, overflow, "输入长度超过模型上下文限制 131072"},
		{400, overflow, "ValidationException: The model returned the following errors: Input is too long for requested model."},
		{400, overflow, "Input length of 140000 tokens plus 4096 output tokens exceeds the 131072 limit"},
		{400, overflow, "Your conversation is too large for this model. Start a new chat."},
		{400, overflow, "The message you submitted was too long, please reload the conversation and submit something shorter."},
		{400, overflow, "Error: 400 the model's context window (131072) was exceeded: 150321 tokens"},
		{400, overflow, "prompt tokens 150321, max 131072"},
		{400, overflow, "Range of input length should be [1, 98304]"},
		{400, overflow, "InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]"},
		{400, output, "max_completion_tokens must be less than or equal to `8192`, the maximum value for `max_completion_tokens` is less than the `context_window` for this model"},
		{400, output, "Range of max_tokens should be [1, 8192]"},
		{400, output, "Value error, max_tokens (40000) cannot be greater than 32768"},
		{400, output, "max_output_tokens exceeds maximum of 8192"},
		{400, output, "generation length 70000 over limit: prompt 100000 tokens + max_tokens 70000 > 131072"},
		{429, rateLim, "Too many requests: your organization has a 40,000 tokens per minute limit"},
		{429, rateLim, "Number of request tokens has exceeded your per-minute rate limit"},
		{429, rateLim, "Number of requests has exceeded your daily rate limit"},
		{429, rateLim, "Concurrency limit exceeded for account, please retry later"},
		{429, rateLim, "Your account reached max request limit TPM: 32000"},
		{429, rateLim, "Requests to the ChatCompletions_Create Operation under Azure OpenAI API have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 26 seconds."},
		{429, quota, "Weekly usage limit reached for your plan"},
		{403, quota, "You have used 1,200,000 of 1,000,000 tokens this month"},
		{402, quota, "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 1234."},
		{429, quota, "Your plan's token quota is exhausted"},
		{401, auth, "Incorrect API key provided: sk-abc. You can find your API key at https://platform.openai.com"},
		{403, auth, "Your organization must be verified to use the model"},
		{400, auth, "{\"error\":{\"code\":400,\"message\":\"API key expired. Please renew the API key.\",\"status\":\"INVALID_ARGUMENT\",\"details\":[{\"reason\":\"API_KEY_INVALID\"}]}}"},
		{500, transient, "Internal server error"},
		{502, transient, "<html>502 Bad Gateway</html>"},
		{0, transient, "read tcp 127.0.0.1:1->1.2.3.4:443: connection reset by peer"},
		{0, transient, "The model is overloaded. Please try again later."},
		{503, transient, "The engine is currently overloaded, please try again later"},
		{400, badReq, "Invalid schema for function 'x': In context=(), 'additionalProperties' is required to be supplied and to be false."},
		{400, badReq, "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 70 instead."},
		{400, badReq, "messages.0.role: Input should be 'user' or 'assistant'"},
		{400, badReq, "Invalid 'input[5].id': string too long. Expected a string with maximum length 64, but got a string with length 100."},
		{400, badReq, "temperature must be between 0 and 2"},
		{400, badReq, "thinking.budget_tokens: Input should be greater than or equal to 1024"},
		{400, badReq, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."},
		{400, badReq, "Invalid type for 'max_tokens': expected an integer, but got a string instead"},
		{404, badReq, "No endpoints found that support tool use."},
		{400, badReq, "Missing required parameter: 'messages'"},
		{400, badReq, "tools: array too long. Expected an array with maximum length 128, but got an array with length 200 instead."},
		{400, pairing, "Request contains a tool result whose tool call is missing"},
		{400, pairing, "tool_call_id call_1 not found in 'tool_calls' of previous message"},
		{400, pairing, "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."},
		{400, pairing, "Unexpected role 'tool' after role 'user'"},
		{400, pairing, "No tool output found for function call call_abc."},
		{400, pairing, "messages.5.content.0: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_1"},
		{400, pairing, "messages: `tool_use` ids must be unique"},
		{400, thinking, "Function call is missing a thought_signature in functionCall parts."},
		{400, thinking, "Thought signature is not valid"},
		{400, thinking, "messages.3.content.0.thinking.signature: Field required"},
		{400, thinking, "Corrupted thought signature."},
		{413, tooBig, "Payload Too Large"},
		{400, overflow, "Request body too large for gpt-4 model. Max size: 8000 tokens."},
		{400, badReq, "image dimensions exceed max allowed size: 8000 pixels"},
		{413, tooBig, "{\"type\":\"error\",\"error\":{\"type\":\"request_too_large\",\"message\":\"Request exceeds the maximum size\"}}"},
		{400, badReq, "messages.1.content.0.pdf.source.base64.data: A maximum of 100 PDF pages may be provided."},
		{400, badReq, "Too much media: 0 document pages + 101 images > 100"},
	} {
		f := Classify(Response{Status: c.status, Body: []byte(c.text)})
		if f.Class != c.want {
			t.Errorf("%s\n got %s limit=%d used=%d, want %s", c.text, f.Class, f.Limit.Max, f.Limit.Used, c.want)
		}
	}
}
