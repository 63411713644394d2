package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
)

// pixel is the smallest PNG.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAQUBAScY42YAAAAASUVORK5CYII="

// album is a session with n images, each in a message of its own.
func album(t *testing.T, dir string, n int) string {
	t.Helper()
	var messages []map[string]any
	for i := range n {
		messages = append(messages, userSaid([]any{textBlock(fmt.Sprintf("picture %d", i)), map[string]any{"type": "image", "mimeType": "image/png", "data": pixel}}),
			modelSaid(textBlock("Seen.")))
	}
	return stored(t, dir, messages...)
}

// imagesOf counts the images of a request.
func imagesOf(r fake.Request) int { return strings.Count(string(r.Body), pixel) }

// A file with more images than its host takes: check says so, and for which model;
// prune leaves out the oldest, down to four fifths, and says where they are.
func TestFileWithManyImages(t *testing.T) {
	for _, tt := range []struct {
		provider, model, api string
		images, edits        int
		refused              string // by check; "": not of that model
	}{
		{"anthropic", "claude-opus-4-5", "anthropic-messages", 150, 70, "anthropic (anthropic/claude-opus-4-5)  too-many-images  it has 150 images, but the limit of the host is 100"},
		{"anthropic", "claude-opus-4-5", "anthropic-messages", 101, 21, "anthropic (anthropic/claude-opus-4-5)  too-many-images  it has 101 images, but the limit of the host is 100"},
		{"anthropic", "claude-opus-4-5", "anthropic-messages", 100, 0, ""},
		{"anthropic", "claude-opus-5", "anthropic-messages", 150, 0, ""}, // with its larger window it takes 600
		{"azure", "gpt-5", "openai-responses", 51, 11, "openai-responses (azure/gpt-5)  too-many-images  it has 51 images, but the limit of the host is 50"},
		{"copilot", "gpt-5.2", "openai-completions", 11, 3, "(copilot/gpt-5.2)  too-many-images  it has 11 images, but the limit of the host is 10"},
		{"local", "m", "openai-completions", 61, 0, ""},
	} {
		dir, config := t.TempDir(), t.TempDir()
		file := album(t, dir, tt.images)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		named := strings.NewReplacer(`"provider":"local"`, fmt.Sprintf(`"provider":%q`, tt.provider), `"model":"fake-1"`, fmt.Sprintf(`"model":%q`, tt.model), `"api":"openai-completions"`, fmt.Sprintf(`"api":%q`, tt.api))
		if err := os.WriteFile(file, []byte(named.Replace(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
		server := fake.New()
		_, out, errs := runModel(t, server, dir, config, seeing, "", "check", file)
		if own := strings.Contains(out, tt.provider+"/"+tt.model); own != (tt.refused != "") || !strings.Contains(out, tt.refused) {
			t.Errorf("%s, %d: check says\n%s%s", tt.model, tt.images, out, errs)
		}
		_, out, errs = runModel(t, server, dir, config, seeing, "", "prune", file)
		server.Close()
		if n := strings.Count(out, " media "); n != tt.edits || tt.edits > 0 && !strings.Contains(out, fmt.Sprintf("tokens in %d edits", tt.edits)) {
			t.Errorf("%s, %d: %d images are left out, want %d\n%s%s", tt.model, tt.images, n, tt.edits, out, errs)
		}
		_, out, _ = runModel(t, server, dir, config, seeing, "", "context", file, "--json")
		if n := strings.Count(out, "image left out: PNG, 1×1 pixels, 68 bytes; the request has too many images or bytes; read en:"); n != tt.edits {
			t.Errorf("%s, %d: %d stubs", tt.model, tt.images, n)
		}
	}
}

// seeing is a model that reads images, as settings name it.
const seeing = `{"id":"fake-1","contextWindow":128000,"images":true}`

// A host that takes fifty images: the oldest give way at once, down to forty,
// the newest stay, and the next run keeps to the cap without being told again.
func TestRunWithManyImages(t *testing.T) {
	server := fake.New(fake.Step{Refuse: &fake.Refusal{Status: 400, Message: "request contains 61 images, exceeding the maximum of 50 allowed per request"}},
		fake.Say("Pictures."), fake.Say("Still pictures."))
	defer server.Close()
	dir, config := t.TempDir(), t.TempDir()
	file := album(t, dir, 61)
	for _, prompt := range []string{"What are they?", "Again?"} {
		if code, out, errs := runModel(t, server, dir, config, seeing, "", "run", "--session", file, "-p", prompt); code != 0 {
			t.Fatalf("exit %d\n%s\n%s", code, out, errs)
		}
	}
	var got []int
	for _, r := range server.Requests() {
		got = append(got, imagesOf(r))
	}
	if fmt.Sprint(got) != "[61 40 40]" {
		t.Errorf("images sent: %v", got)
	}
	if text := server.Requests()[1].Text(); !strings.Contains(text, "image left out: ") || !strings.Contains(text, "read en:00000001") {
		t.Errorf("no stub in %.2000s", text)
	}
}

// An honest server whose price of an image is not ours: every image stays, and
// nothing is learned.
func TestRunWithCheapImages(t *testing.T) {
	for _, price := range []int64{0, 85, 3000} {
		server := fake.New(fake.Step{Answer: func(r fake.Request) fake.Step {
			return fake.Step{Text: "Pictures.", Usage: &message.Usage{Input: 300 + price*int64(imagesOf(r)), Output: 5}}
		}})
		dir, config := t.TempDir(), t.TempDir()
		file := album(t, dir, 25)
		for range 3 {
			if code, out, errs := runModel(t, server, dir, config, seeing, "", "run", "--session", file, "-p", "What are they?"); code != 0 || out != "Pictures.\n" {
				t.Fatalf("%d: exit %d\n%s\n%s", price, code, out, errs)
			}
		}
		for i, r := range server.Requests() {
			if n := imagesOf(r); n != 25 {
				t.Errorf("%d: request %d has %d images", price, i, n)
			}
		}
		if code, out, _ := runModel(t, server, dir, config, seeing, "", "models", "--json"); code != 0 || strings.Contains(out, "learned") {
			t.Errorf("%d: learned: %s", price, out)
		}
		server.Close()
	}
}
