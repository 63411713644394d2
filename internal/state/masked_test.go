package state

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
)

// Texts are masked before they are parted: a line of a key, a half of a command
// or a sentence no longer looks like what it is.
func TestSecretsAreMaskedWhole(t *testing.T) {
	line := "geiwBxfZCGGQccOif7UuXUGfdWG5yP8Yib2eNUS0hmi4Fs9Z6YkRYU7oe1wNWqku"
	key := "-----BEGIN RSA PRIVATE " + "KEY-----\n" + line + "\n" + line + "\n-----END RSA PRIVATE " + "KEY-----"
	pass := "swordfish" + "9x"
	call := func(id, command string) *message.Message {
		args, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		return &message.Message{Role: message.RoleAssistant, Content: []message.Block{message.ToolCall{ID: id, Name: "bash", Arguments: args}}, StopReason: message.StopToolUse}
	}
	result := func(id, text string, failed bool) *message.Message {
		return &message.Message{Role: message.RoleToolResult, ToolCallID: id, ToolName: "bash", IsError: failed, Content: []message.Block{message.Text{Text: text}}}
	}
	var sources []ledger.Source
	for _, m := range []*message.Message{
		message.User("Deploy it. The password is:\n" + pass + "\nNever use " + key),
		call("a", "echo "+pass+" | docker login -u bob --password-stdin && cat > k.pem <<EOF\n"+key+"\nEOF\nmake "+line[:0]+"test"),
		result("a", "FAIL\n"+key+"\n"+line+"\n-----END RSA PRIVATE "+"KEY-----", true),
		call("b", "printf '%s' '"+key+"' > k.pem"),
		result("b", "ok", false),
	} {
		sources = append(sources, ledger.Source{Message: m})
	}
	out, err := json.Marshal(Fold(sources, Options{}).Items)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{line, line[:20], "echo " + pass} {
		if strings.Contains(string(out), secret) {
			t.Errorf("%q is in the state: %s", secret, out)
		}
	}
}
