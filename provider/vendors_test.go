package provider

import (
	"fmt"
	"strings"
	"testing"
)

// Real texts of vendors, gateways and servers beyond the other tables: class,
// unit, place, limit, used, requested and remedy. A shorter row leaves the rest
// unchecked.
type vendorRow struct {
	status         int
	want           string
	provider, text string
}

var vendorRows = []vendorRow{
	{400, "bad-request,items,messages,2048,2301,2301,fewer-items", "", "Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 2301 instead."},
	{400, "bad-request,items,image,50,51,51,fewer-items", "", "request contains 51 images, exceeding the maximum of 50 allowed per request"},
	{400, "bad-request,characters,input[308].arguments,1048576,1686845,1686845,shorten-field", "", "Invalid 'input[308].arguments': string too long. Expected a string with maximum length 1048576, but got a string with length 1686845 instead."},
	{400, "bytes,bytes,,20000000,20054016,20054016,drop-media", "", "String value length (20054016) exceeds the maximum allowed (20000000, from `StreamReadConstraints.getMaxStringLength()`)"},
	{400, "thinking,,,0,0,0,restore-thinking", "", "The `reasoning_content` in the thinking mode must be passed back to the API."},
	{400, "thinking,,,0,0,0,restore-thinking", "", "thinking is enabled but reasoning_content is missing in assistant tool call message at index 3"},
	{429, "quota", "", `{"message":"Tokens per day limit exceeded: too many tokens","code":"token_quota_exceeded"}`},
	{429, "quota", "", `{"message":"Requests per day limit exceeded: too many requests sent.","type":"too_many_requests_error","param":"quota","code":"request_quota_exceeded"}`},
	{429, "rate-limit", "", `{"message":"Tokens per minute limit exceeded - too many tokens processed.","type":"too_many_tokens_error","param":"quota","code":"token_quota_exceeded"}`},
	{429, "rate-limit", "", `{"message":"Requests per hour limit exceeded: too many requests sent.","code":"request_quota_exceeded"}`},
	{400, "bad-request,characters,input[2].output,10485760,10485999", "", "Invalid 'input[2].output': string too long. Expected a string with maximum length 10485760, but got a string with length 10485999 instead."},
	{400, "bad-request,characters,messages[2].tool_calls[0].id,40,41", "", "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead."},
	{400, "bad-request,items,tools,128,150", "", "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 150 instead."},
	{400, "bad-request,items,image,100,107", "", "Too much media: 0 document pages + 107 images > 100"},
	{400, "bad-request,items,image,100,105", "", "too many images and documents: 104 + 1 > 100"},
	{400, "bad-request,items,image,10,11", "", "Too many images in request: 11 images provided, but the model supports a maximum of 10 images."},
	{400, "bad-request,items,image,4,5", "", "Image count 5 exceeds limit 4 per request."},
	{400, "bad-request,items,image,16", "", "too many images in the message, max allowed is 16"},
	{400, "bad-request,items,image,50", "", "Exceeded maximum number of images (50) allowed in the request."},
	{400, "bad-request,items,page,600", "", "messages.1.content.22.pdf.source.base64.data: A maximum of 600 PDF pages may be provided."},
	{400, "bad-request,pixels,image,8000,0,0,shrink-media", "", "messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels"},
	{400, "bad-request,pixels,image,2000", "", "messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"},
	{400, "bytes,bytes,image,5242880,17699328,17699328,shrink-media", "", "messages.8.content.0.tool_result.content.0.image.source.base64: image exceeds 5 MB maximum: 17699328 bytes > 5242880 bytes"},
	{400, "bad-request,,image,0,0,0,shrink-media", "", "messages.0.content.1.image.source.base64: The image was specified using the image/png media type, but the image appears to be a image/jpeg image"},
	{400, "bytes,bytes,image,10485760", "", "Exceeded limit on max bytes per data-uri item : 10485760"},
	{400, "thinking,,,0,0,0,drop-thinking", "", "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."},
	{400, "thinking,,,0,0,0,drop-thinking", "", "User messages cannot contain reasoning content. Please remove the reasoning content and try again."},
	{404, "thinking,,,0,0,0,drop-thinking", "", "Item with id 'rs_68e' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input."},
	{400, "thinking,,,0,0,0,restore-thinking", "", "Missing reasoning_content field in the assistant message at message index 2. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls"},
	{400, "thinking,,,0,0,0,restore-thinking", "", `data: {"error":{"code":"400","message":"Param Incorrect","param":"The reasoning_content in the thinking mode must be passed back to the API.","type":""}}`},
	{400, "thinking,,,0,0,0,restore-thinking", "", "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:Bash`, position 2."},
	{400, "thinking,,,0,0,0,restore-thinking", "", "Function call `x` in the `1.` content block is missing a `thought_signature`."},
	{400, "thinking,,,0,0,0,drop-thinking", "", "Invalid thought signature."},
	{400, "thinking,,,0,0,0,drop-thinking", "", "Corrupted thought signature."},
	{400, "overflow", "", "the prompt is longer than the context length currently available to the model; shorten the prompt, increase the context length, or enable truncation"},
	{400, "overflow,context-tokens,,32768,32825", "", "input token count is 32825 but model only supports up to 32768"},
	{400, "overflow,context-tokens,,4096,0", "", "prompt contains 52012 characters, which is above the limit of 4096 tokens"},
	{429, "quota", "", "You exceeded your current quota, please check your plan and billing details."},
	{429, "rate-limit", "dashscope", "You exceeded your current quota, please check your plan and billing details."},
	{429, "rate-limit", "dashscope", "Allocated quota exceeded, please increase your quota limit."},
	{429, "rate-limit", "", "Requests rate limit exceeded, please try again later."},
	{429, "rate-limit", "gemini", `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"x","quotaId":"GenerateContentInputTokensPerModelPerMinute-FreeTier"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"38s"}]}}`},
	{429, "quota", "gemini", `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}`},
	{402, "quota,output-tokens,,2666,0,64000,reduce-output", "", "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 2666."},
	{429, "quota", "", `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_at":1781000000,"resets_in_seconds":6000}}`},
	{429, "quota", "", `{"error":{"code":"1308","message":"Usage limit reached for 5 hour. Your limit will reset at 2026-09-04 19:01:25"}}`},
	{429, "rate-limit", "", `{"error":{"code":"1302","message":"Rate limit reached for requests"}}`},
	{429, "transient", "", `{"error":{"code":"1305","message":"The model is overloaded"}}`},
	{429, "quota", "", `{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}`},
	{403, "quota", "", "You've reached your usage limit for this billing cycle"},
	{429, "quota", "", "You've reached your usage limit for this period"},
	{429, "transient", "", "The engine is currently overloaded, please try again later"},
	{429, "rate-limit", "", "We're receiving too many requests at the moment. Please wait."},
	{429, "quota", "", `{"error":{"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day","code":429}}`},
	{429, "quota", "", `{"error":{"message":"...","type":"exceeded_current_quota_error"}}`},
	{429, "rate-limit", "", `{"error":{"message":"Sorry, you have exceeded your Copilot token usage. Please try again in 58 hours","code":"rate_limited"}}`},
	{429, "rate-limit", "", "The conversation history has grown past the model's limit"},
	{429, "rate-limit", "", `{"error":{"code":"too_many_requests","message":"Too many tokens"}}`},
	{429, "quota", "", "Tokens in the last 24 hours exceeded: too many tokens"},
	{500, "overflow,context-tokens,,4096,4165", "", `{"error":"{\"error\":{\"code\":400,\"message\":\"request (4165 tokens) exceeds the available context size (4096 tokens), try increasing it\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":4165,\"n_ctx\":4096}}"}`},
	{400, "bad-request,characters,tools.0.custom.name,128", "", "tools.0.custom.name: String should have at most 128 characters"},
	{400, "bad-request,characters", "", "1 validation error detected: Value 'a' at 'toolConfig.tools.5.member.toolSpec.name' failed to satisfy constraint: Member must have length less than or equal to 64"},
	{400, "bad-request", "", "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."},
	{400, "bad-request", "", "all content must be type 'text' if 'is_error' is true"},
	{400, "bad-request", "", "messages.52.content.0.tool_result: content cannot be empty if `is_error` is true"},
	{400, "bad-request", "", "messages.29.content.0.text: cache_control cannot be set for empty text blocks"},
	{400, "bad-request", "", "Invalid 'messages[234]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL."},
	{413, "bytes", "", "failed to parse request"},
	{200, "transient", "", "<html><head><title>502 Bad Gateway</title></head></html>"},
	{429, "quota", "", "You've hit your session limit · resets 9pm (Europe/Berlin)"},
	{400, "overflow", "", "the request exceeds the available context size, try increasing it"},
	{429, "overflow,rate-tokens,,200000", "", "Extra usage is required for long context requests."},
	{400, "overflow-output,output-tokens,,8192", "", "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"},

	{400, "overflow-output,context-tokens,,262144,0", "", "This model's maximum context length is 262144 tokens. However, you requested 32000 output tokens and your prompt contains at least 230145 input tokens, for a total of at least 262145 tokens."},

	// Invented wordings, for the shapes.
	{400, "overflow,context-tokens,,128000,130112", "", "Your request used 130,112 tokens but the model's limit is 128,000."},
	{400, "overflow", "", "This conversation is too long to continue. Please start a new one."},
	{400, "overflow,context-tokens,,200000,201000", "", "Input exceeds context: 201,000 of 200,000 tokens"},
	{400, "overflow", "", "max context reached"},
	{400, "overflow,context-tokens,,8192,8300", "", "The prompt (8300 tokens) overflows the model's context of 8192 tokens"},
	{400, "overflow,context-tokens,,8192,9000", "", "The total number of tokens (9000) is over this deployment's limit (8192)"},
	{400, "overflow,context-tokens,,8192", "", "Token limit of 8192 exceeded by 300"},
	{400, "overflow", "", "context_window_full"},
	{400, "overflow,context-tokens,,4096,5000", "", "Requested 5000 tokens; context 4096"},
	{400, "bad-request,items,image,20,25", "", "You can attach at most 20 images, got 25"},
	{400, "bad-request,items,messages,2048,3000", "", "Too many messages: 3000 > 2048"},
	{400, "bad-request,items,document,20,25", "", "Maximum 20 documents per request; 25 supplied"},
	{400, "bad-request,items,tools,128,150", "", "Number of tools (150) exceeds the maximum (128)"},
	{400, "bad-request,items,messages,16,20", "", "messages: List should have at most 16 items after validation, not 20"},
	{400, "bad-request,characters,name,64,70", "", "`name` must be at most 64 characters long, got 70"},
	{400, "bad-request,characters,messages[3].content,32000", "", "field messages[3].content exceeds 32000 characters"},
	{400, "bad-request,characters,messages.4.content,1048576,1200000", "", "String length 1200000 exceeds maximum of 1048576 for messages.4.content"},
	{400, "bad-request,pixels,image,8000", "", "Image is 9000x400 pixels; the maximum is 8000"},
	{400, "bad-request,pixels,image,8000", "", "image width 9000px exceeds 8000px"},
	{413, "bytes,bytes,,32000000,33000000", "", "Payload of 33 MB is above the 32 MB limit"},
	{400, "bytes,bytes,,10485760,12582912", "", "body size 12582912 exceeds 10485760"},
	{413, "bytes,bytes,,6291456", "", "Request must be smaller than 6291456 bytes for the InvokeFunction operation"},
	{413, "bytes", "", "client intended to send too large body: 2000000 bytes"},
	{429, "rate-limit", "", "TPM limit hit; wait 12s"},
	{429, "rate-limit", "", "You've sent 41,000 tokens in the last minute, limit 40,000"},
	{429, "rate-limit", "", "Requests exceeded: 60 rpm"},
	{402, "quota", "", "Out of credits"},
	{429, "quota", "", "Free tier quota used up for today"},
	{400, "overflow-output,output-tokens,,64000", "", "max_tokens=100000 not allowed, cap is 64000"},
	{400, "overflow-output,output-tokens,,8192", "", "requested 9000 completion tokens, maximum 8192 for this model"},
	{400, "pairing", "", "tool_result for unknown tool_use id toolu_9"},
	{400, "pairing", "", "Function response without preceding function call"},
	{400, "pairing", "", "Every tool call must be answered before the next user message"},
	{400, "thinking,,,0,0,0,restore-thinking", "", "reasoning_content is required in assistant messages that call tools"},
	{400, "thinking", "", "thinking block signature verification failed"},
	{400, "thinking,,,0,0,0,restore-thinking", "", "thought signature missing for function call"},
	{400, "thinking,,,0,0,0,restore-thinking", "", "assistant message at index 4 has tool_calls but no reasoning_content"},
	{400, "bad-request,,image", "", "messages.3.content.1.image: Unsupported media type image/tiff"},
	{400, "bad-request,characters,messages[1].tool_call_id,40", "", "messages[1].tool_call_id: maximum length is 40"},
	{200, "transient", "", "<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>"},
	{400, "bytes,bytes,image,3145728", "", "Image of 4 MB is too big: the maximum is 3145728 bytes per image"},
	{429, "overflow,rate-tokens,,6000,0,14810", "", "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 14810"},
	{429, "quota", "", "You have exceeded the 5-hour usage limit. It will reset at 2026-12-01T10:00:00Z"},
	{529, "transient", "", "Overloaded"},
	{499, "transient", "", `{"error":{"code":499,"message":"The operation was cancelled.","status":"CANCELLED"}}`},
	{400, "overflow,context-tokens,,8192,8200", "", "Request tokens: 8200, model max: 8192"},
}

func TestVendorRows(t *testing.T) {
	for _, r := range vendorRows {
		r.check(t)
	}
}

func (r vendorRow) check(t *testing.T) {
	t.Helper()
	f := Classify(Response{Status: r.status, Provider: r.provider, Body: []byte(r.text)})
	l := f.Limit
	got := fmt.Sprintf("%s,%s,%s,%d,%d,%d,%s", f.Class, l.Unit, l.Where, l.Max, l.Used, f.Requested, f.Remedies()[0])
	if got != r.want && !strings.HasPrefix(got, r.want+",") {
		t.Errorf("%s\n got %s\nwant %s", r.text, got, r.want)
	}
}
