package sdk

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/coppice-dev/coppice/message"
)

func askAnthropic(ctx context.Context, url string, body []byte) (answer, error) {
	var params anthropic.MessageNewParams
	if err := json.Unmarshal(body, &params); err != nil {
		return answer{}, err
	}
	client := anthropic.NewClient(option.WithoutEnvironmentDefaults(), option.WithBaseURL(url), option.WithAPIKey("fake-key"), option.WithMaxRetries(0))
	stream := client.Messages.NewStreaming(ctx, params)
	defer stream.Close()
	var m anthropic.Message
	for stream.Next() {
		if err := m.Accumulate(stream.Current()); err != nil {
			return answer{}, err
		}
	}
	if err := stream.Err(); err != nil {
		return answer{}, err
	}
	a := answer{Prompt: m.Usage.InputTokens + m.Usage.CacheReadInputTokens + m.Usage.CacheCreationInputTokens,
		CacheRead: m.Usage.CacheReadInputTokens, Output: m.Usage.OutputTokens}
	for _, b := range m.Content {
		switch b := b.AsAny().(type) {
		case anthropic.TextBlock:
			a.Text += b.Text
		case anthropic.ThinkingBlock:
			a.Thinking += b.Thinking
		case anthropic.ToolUseBlock:
			a.Calls = append(a.Calls, call{b.Name, string(b.Input)})
		}
	}
	switch m.StopReason {
	case anthropic.StopReasonEndTurn:
		a.Stop = message.StopEnd
	case anthropic.StopReasonToolUse:
		a.Stop = message.StopToolUse
	case anthropic.StopReasonMaxTokens:
		a.Stop = message.StopLength
	}
	return a, nil
}

func anthropicRefusal(err error) (refusal, bool) {
	var e *anthropic.Error
	if !errors.As(err, &e) {
		return refusal{}, false
	}
	return refusal{e.StatusCode, string(e.Type()), e.Message}, true
}
