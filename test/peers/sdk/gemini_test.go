package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/coppice-dev/coppice/message"
	"google.golang.org/genai"
)

// geminiBody is a request in the library's types.
type geminiBody struct {
	SystemInstruction *genai.Content
	Contents          []*genai.Content
	Tools             []*genai.Tool
	GenerationConfig  struct {
		MaxOutputTokens int32
		Temperature     *float32
		ThinkingConfig  *genai.ThinkingConfig
	}
}

func askGemini(ctx context.Context, url string, body []byte) (answer, error) {
	var in geminiBody
	if err := json.Unmarshal(body, &in); err != nil {
		return answer{}, err
	}
	base, version := url[:strings.LastIndex(url, "/")], url[strings.LastIndex(url, "/")+1:]
	client, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: "fake-key", Backend: genai.BackendGeminiAPI,
		HTTPOptions: genai.HTTPOptions{BaseURL: base, APIVersion: version}})
	if err != nil {
		return answer{}, err
	}
	config := &genai.GenerateContentConfig{SystemInstruction: in.SystemInstruction, Tools: in.Tools,
		MaxOutputTokens: in.GenerationConfig.MaxOutputTokens, Temperature: in.GenerationConfig.Temperature, ThinkingConfig: in.GenerationConfig.ThinkingConfig}
	var a answer
	for r, err := range client.Models.GenerateContentStream(ctx, "fake-1", in.Contents, config) {
		if err != nil {
			return answer{}, err
		}
		if err := a.addGemini(r); err != nil {
			return answer{}, err
		}
	}
	if len(a.Calls) > 0 && a.Stop == message.StopEnd { // this vendor has no stop reason for calls
		a.Stop = message.StopToolUse
	}
	return a, nil
}

func (a *answer) addGemini(r *genai.GenerateContentResponse) error {
	if u := r.UsageMetadata; u != nil {
		a.Prompt, a.CacheRead, a.Output = int64(u.PromptTokenCount), int64(u.CachedContentTokenCount), int64(u.CandidatesTokenCount+u.ThoughtsTokenCount)
	}
	if len(r.Candidates) != 1 {
		return errors.New("not one candidate")
	}
	c := r.Candidates[0]
	for _, p := range c.Content.Parts {
		switch {
		case p.Thought:
			a.Thinking += p.Text
		case p.FunctionCall != nil:
			args, err := json.Marshal(p.FunctionCall.Args)
			if err != nil {
				return err
			}
			a.Calls = append(a.Calls, call{p.FunctionCall.Name, string(args)})
		default:
			a.Text += p.Text
		}
	}
	switch c.FinishReason {
	case genai.FinishReasonStop:
		a.Stop = message.StopEnd
	case genai.FinishReasonMaxTokens:
		a.Stop = message.StopLength
	}
	return nil
}

func geminiRefusal(err error) (refusal, bool) {
	var e genai.APIError
	if !errors.As(err, &e) {
		return refusal{}, false
	}
	return refusal{e.Code, e.Status, e.Message}, true
}
