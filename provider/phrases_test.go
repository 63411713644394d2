package provider

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
)

// meant is the class of a block's witnesses; a block that is missing here only
// helps others.
var meant = map[string][]message.Class{
	"pairing": {pairing}, "thinking restore": {thinking}, "thinking": {thinking}, "bad request": {badReq}, "bad image": {badReq},
	"overflow": {overflow, output}, "size": {overflow}, "long context": {overflow}, "above rate": {overflow, rateLim},
	"rate": {rateLim, quota, overflow}, "quota": {quota}, "quota surely": {quota}, "output setting": {output}, "output shape": {output}, "minimum": {badReq}, "bytes": {tooBig},
	"auth": {auth}, "auth surely": {auth}, "transient": {transient}, "transient surely": {transient},
}

// Each pattern is found in its witness, and the witness means what its block
// says.
func TestPhrasesHaveWitnesses(t *testing.T) {
	blocks := phraseBlocks()
	if len(blocks) < 20 {
		t.Fatalf("only %d blocks", len(blocks))
	}
	seen := map[string]bool{}
	for _, b := range blocks {
		if b.name == "define" {
			continue
		}
		if b.name[:min(3, len(b.name))] != "cap" && seen[b.name] {
			t.Errorf("[%s] twice", b.name)
		}
		seen[b.name] = true
		if len(b.phrases) == 0 {
			t.Errorf("[%s] is empty", b.name)
		}
		want := meant[b.name]
		if words := strings.Fields(b.name); words[0] == "cap" {
			want = []message.Class{message.Class(words[1])}
			if !slices.Contains(message.Class("").Values(), words[1]) {
				t.Errorf("[%s] has no class", b.name)
			}
		}
		for _, p := range b.phrases {
			re, err := regexp.Compile(p.pattern)
			if err != nil {
				t.Errorf("[%s] %v", b.name, err)
				continue
			}
			if p.witness == "" || !re.MatchString(flatten([]byte(p.witness))) {
				t.Errorf("[%s] %s is not found in its witness: %s", b.name, p.pattern, p.witness)
			}
			f := Classify(Response{Body: []byte(p.witness)})
			if want != nil && !slices.Contains(want, f.Class) {
				t.Errorf("[%s] %s means %s", b.name, p.witness, f.Class)
			}
		}
	}
	for name := range meant {
		if !seen[name] {
			t.Errorf("there is no block [%s]", name)
		}
	}
}

func TestBrokenPhrases(t *testing.T) {
	for _, text := range []string{"a\n", "[define]\nx\n", "[a]\n    witness\n", "[a]\np\n    one\n    two\n"} {
		if b, err := parsePhrases(text); err == nil {
			t.Errorf("%q: %v", text, b)
		}
	}
}
