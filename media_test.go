package coppice_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
)

// picture is an empty image of w×h pixels.
func picture(t *testing.T, w, h int) message.Image {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return message.Image{Data: base64.StdEncoding.EncodeToString(b.Bytes()), MIMEType: "image/png"}
}

// looks makes the agent take one screenshot each round, all in one turn.
func looks(t *testing.T, s *coppice.Session, pictures ...message.Image) {
	t.Helper()
	for i, p := range pictures {
		id := fmt.Sprint("c", i)
		if _, err := s.Say(t.Context(), &message.Message{Role: message.RoleAssistant, Provider: "local", Model: "m", StopReason: message.StopToolUse,
			Content: []message.Block{message.ToolCall{ID: id, Name: "look", Arguments: []byte(`{}`)}}},
			&message.Message{Role: message.RoleToolResult, ToolCallID: id, ToolName: "look", Content: []message.Block{p}}); err != nil {
			t.Fatal(err)
		}
	}
}

func times(n int, p message.Image) (out []message.Image) {
	for range n {
		out = append(out, p)
	}
	return out
}

// The vendor's cap is respected before anything is sent, also within a turn, and
// each image left out can be read back.
func TestImageCapsBeforeSending(t *testing.T) {
	for name, tt := range map[string]struct {
		facts    message.Model
		pictures int
		sent     int
	}{
		"anthropic": {message.Model{Provider: "anthropic", ID: "claude-opus-4-5", API: "anthropic", Window: 200_000, Images: true}, 150, 80},
		"azure":     {message.Model{Provider: "azure", ID: "gpt-6", API: "openai-responses", Window: 400_000, Images: true}, 51, 40},
		"local":     {message.Model{Provider: "local", ID: "m", API: "openai-chat", Window: 400_000, Images: true}, 150, 150},
	} {
		s := inMemory(t, coppice.Options{Facts: tt.facts})
		must.Get(s.Say(t.Context(), message.User("Watch it.")))
		looks(t, s, times(tt.pictures, picture(t, 20, 20))...)
		p := must.Get(s.Fit(t.Context()))
		body := string(p.Body)
		if n := strings.Count(body, "iVBORw0KGgo"); n != tt.sent {
			t.Errorf("%s: %d images are sent, want %d", name, n, tt.sent)
		}
		if n := strings.Count(body, "[image left out: PNG, 20×20 pixels"); n != tt.pictures-tt.sent || n != strings.Count(body, "; read en:") {
			t.Errorf("%s: %d stubs", name, n)
		}
	}
}

// What a refusal says about images is done, and applies from then on.
func TestRecoverImages(t *testing.T) {
	fault := func(class message.Class, l message.Limit, text string) *message.Fault {
		return &message.Fault{Class: class, Limit: l, Message: text, Remedy: provider.Classify(provider.Response{Status: 400, Body: []byte(text)}).Remedy}
	}
	for name, tt := range map[string]struct {
		fault    *message.Fault
		pictures []message.Image
		remedy   message.Remedy
		sent     int  // images in the next request
		side     int  // no image is larger; 0: no limit
		again    bool // another session with the same model starts with the cap
	}{
		"too many": {fault(message.ClassBadRequest, message.Limit{Unit: kinds.UnitItems, Where: "image", Max: 50, Used: 51}, "request contains 51 images, exceeding the maximum of 50 allowed per request"),
			times(51, picture(t, 20, 20)), kinds.RemedyFewerItems, 40, 0, true},
		"one alone": {fault(message.ClassBadRequest, message.Limit{Unit: kinds.UnitItems, Where: "image", Max: 1}, "At most 1 image(s) may be provided in one request."),
			times(3, picture(t, 20, 20)), kinds.RemedyFewerItems, 1, 0, true},
		"no number": {fault(message.ClassBytes, message.Limit{}, "request entity too large"), times(10, picture(t, 200, 200)), kinds.RemedyDropMedia, 2, 0, false},
		"a side": {fault(message.ClassBadRequest, message.Limit{Unit: kinds.UnitPixels, Where: "image", Max: 100}, "image dimensions exceed max allowed size: 100 pixels"),
			times(3, picture(t, 300, 150)), kinds.RemedyShrinkMedia, 3, 100, true},
		"one that cannot be read": {fault(message.ClassBadRequest, message.Limit{Where: "image"}, "Could not process image"),
			times(3, picture(t, 20, 20)), kinds.RemedyShrinkMedia, 2, 0, false},
	} {
		limits := &provider.Limits{}
		options := coppice.Options{Limits: limits, Facts: message.Model{Provider: "local", ID: "m", API: "openai-chat", Window: 400_000, Images: true}}
		for n, s := range []*coppice.Session{inMemory(t, options), inMemory(t, options)} {
			must.Get(s.Say(t.Context(), message.User("Watch it.")))
			looks(t, s, tt.pictures...)
			body := string(must.Get(s.Fit(t.Context())).Body)
			if n == 0 {
				if all := strings.Count(body, "iVBORw0KGgo"); all != len(tt.pictures) {
					t.Fatalf("%s: %d images at first", name, all)
				}
				limits.Learn(options.Facts, tt.fault) // as a model does that shares the limits
				if r, err := s.Recover(t.Context(), tt.fault); err != nil || r != tt.remedy {
					t.Errorf("%s: %s, %v", name, r, err)
				}
				body = string(must.Get(s.Fit(t.Context())).Body)
			} else if !tt.again {
				continue
			}
			if got := strings.Count(body, "iVBORw0KGgo"); got != tt.sent {
				t.Errorf("%s, session %d: %d images in the next request, want %d", name, n, got, tt.sent)
			}
			for _, part := range strings.Split(body, "iVBORw0KGgo")[1:] {
				c, err := png.DecodeConfig(base64.NewDecoder(base64.StdEncoding, strings.NewReader("iVBORw0KGgo"+part[:strings.IndexByte(part, '"')])))
				if err != nil || tt.side > 0 && max(c.Width, c.Height) > tt.side {
					t.Errorf("%s: %d×%d pixels, %v", name, c.Width, c.Height, err)
				}
			}
		}
	}
}
