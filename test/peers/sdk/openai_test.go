package sdk

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/coppice-dev/coppice/message"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

func openaiClient(url string) openai.Client {
	return openai.NewClient(option.WithBaseURL(url), option.WithAPIKey("fake-key"), option.WithMaxRetries(0))
}

func askChat(ctx context.Context, url string, body []byte) (answer, error) {
	var params openai.ChatCompletionNewParams
	if err := json.Unmarshal(body, &params); err != nil {
		return answer{}, err
	}
	client := openaiClient(url)
	stream := client.Chat.Completions.NewStreaming(ctx, params)
	defer stream.Close()
	var all openai.ChatCompletionAccumulator
	var a answer
	for stream.Next() {
		chunk := stream.Current()
		if !all.AddChunk(chunk) {
			return answer{}, errors.New("a chunk that does not belong to the others")
		}
		for _, c := range chunk.Choices { // the library has no field for reasoning
			var part string
			if raw := c.Delta.JSON.ExtraFields["reasoning_content"].Raw(); raw != "" {
				if err := json.Unmarshal([]byte(raw), &part); err != nil {
					return answer{}, err
				}
			}
			a.Thinking += part
		}
	}
	if err := stream.Err(); err != nil {
		return answer{}, err
	}
	if len(all.Choices) != 1 {
		return answer{}, errors.New("not one choice")
	}
	a.Prompt, a.CacheRead, a.Output = all.Usage.PromptTokens, all.Usage.PromptTokensDetails.CachedTokens, all.Usage.CompletionTokens
	a.Text = all.Choices[0].Message.Content
	for _, c := range all.Choices[0].Message.ToolCalls {
		a.Calls = append(a.Calls, call{c.Function.Name, c.Function.Arguments})
	}
	switch all.Choices[0].FinishReason {
	case "stop":
		a.Stop = message.StopEnd
	case "tool_calls":
		a.Stop = message.StopToolUse
	case "length":
		a.Stop = message.StopLength
	}
	return a, nil
}

func askResponses(ctx context.Context, url string, body []byte) (answer, error) {
	var params responses.ResponseNewParams
	if err := json.Unmarshal(body, &params); err != nil {
		return answer{}, err
	}
	client := openaiClient(url)
	stream := client.Responses.NewStreaming(ctx, params)
	defer stream.Close()
	var a answer
	var whole *responses.Response
	for stream.Next() {
		switch e := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			a.Text += e.Delta
		case responses.ResponseReasoningSummaryTextDeltaEvent:
			a.Thinking += e.Delta
		case responses.ResponseCompletedEvent:
			whole = &e.Response
		case responses.ResponseIncompleteEvent:
			whole = &e.Response
		case responses.ResponseFailedEvent:
			return answer{}, errors.New(e.Response.Error.Message)
		case responses.ResponseErrorEvent:
			return answer{}, errors.New(e.Message)
		}
	}
	if err := stream.Err(); err != nil {
		return answer{}, err
	}
	if whole == nil {
		return answer{}, errors.New("the stream ended without a response")
	}
	if text := whole.OutputText(); text != a.Text {
		return answer{}, errors.New("the deltas say " + a.Text + ", the whole says " + text)
	}
	for _, item := range whole.Output {
		if c, ok := item.AsAny().(responses.ResponseFunctionToolCall); ok {
			a.Calls = append(a.Calls, call{c.Name, c.Arguments})
		}
	}
	a.Prompt, a.CacheRead, a.Output = whole.Usage.InputTokens, whole.Usage.InputTokensDetails.CachedTokens, whole.Usage.OutputTokens
	switch {
	case whole.IncompleteDetails.Reason == "max_output_tokens":
		a.Stop = message.StopLength
	case len(a.Calls) > 0:
		a.Stop = message.StopToolUse
	default:
		a.Stop = message.StopEnd
	}
	return a, nil
}

func openaiRefusal(err error) (refusal, bool) {
	var e *openai.Error
	if !errors.As(err, &e) {
		return refusal{}, false
	}
	kind := e.Code
	if kind == "" {
		kind = e.Type
	}
	return refusal{e.StatusCode, kind, e.Message}, true
}
