package settings_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/settings"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"

	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/internal/valid"
)

func TestEdit(t *testing.T) {
	tests := []struct{ name, doc, key, value, want string }{
		{"new file", "", "model", "a/b", "{\n  \"model\": \"a/b\"\n}\n"},
		{"comment only", "// mine\n", "model", "a/b", "// mine\n{\n  \"model\": \"a/b\"\n}\n"},
		{"group", "{}\n", "retry.maxRetries", "5", "{\n  \"retry\": {\n    \"maxRetries\": 5\n  }\n}\n"},
		{"replace", "{\n  // why\n  \"retry\": {\"maxRetries\": 3 /* few */, \"enabled\": true},\n}\n", "retry.maxRetries", "5",
			"{\n  // why\n  \"retry\": {\"maxRetries\": 5 /* few */, \"enabled\": true},\n}\n"},
		{"one line", `{"retry": {"maxRetries": 3}}`, "retry.enabled", "false", `{"retry": {"maxRetries": 3, "enabled": false}}`},
		{"trailing comment", "{\n\t\"model\": \"a/b\" // best\n}\n", "session.sync", "off",
			"{\n\t\"model\": \"a/b\", // best\n\t\"session\": {\n    \"sync\": \"off\"\n  }\n}\n"},
		{"trailing comma", "{\n  \"model\": \"a/b\", // best\n}\n", "model", "c/d", "{\n  \"model\": \"c/d\", // best\n}\n"},
		{"trailing comma, new", "{\n  \"model\": \"a/b\", // best\n}\n", "session.dir", "/s",
			"{\n  \"model\": \"a/b\", // best\n  \"session\": {\n    \"dir\": \"/s\"\n  },\n}\n"},
		{"part of a map", "{}\n", "providers.local.baseUrl", "http://l:1/v1", "{\n  \"providers\": {\n    \"local\": {\n      \"baseUrl\": \"http://l:1/v1\"\n    }\n  }\n}\n"},
		{"quoted part", "{}\n", `compaction.modelOverrides["l/m.1"].reserveTokens`, "7",
			"{\n  \"compaction\": {\n    \"modelOverrides\": {\n      \"l/m.1\": {\n        \"reserveTokens\": 7\n      }\n    }\n  }\n}\n"},
		{"list with comments", "{\n  \"secrets\": {\n    \"patterns\": [\n      // first\n      \"a\", // second\n    ],\n  },\n}\n", "secrets.patterns", `["b"]`,
			"{\n  \"secrets\": {\n    // first\n    // second\n    \"patterns\": [\"b\"],\n  },\n}\n"},
		{"last of two", `{"model":"a/b","model":"c/d"}`, "model", "e/f", `{"model":"a/b","model":"e/f"}`},
		{"null", "{\"retry\":{\"maxRetries\":1}}\n", "retry.maxRetries", "null", "{\"retry\":{\"maxRetries\":null}}\n"},
		{"crlf", "{\r\n  \"model\": \"a/b\"\r\n}\r\n", "session.dir", "x", "{\r\n  \"model\": \"a/b\",\r\n  \"session\": {\r\n    \"dir\": \"x\"\r\n  }\r\n}\r\n"},
		{"bom", "\ufeff{}\n", "model", "a/b", "\ufeff{\n  \"model\": \"a/b\"\n}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := settings.Edit([]byte(tt.doc), tt.key, tt.value, all()...)
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %q, %v\nwant %q", got, err, tt.want)
			}
		})
	}
}

func TestEditRefuses(t *testing.T) {
	tests := []struct{ name, doc, key, value, want string }{
		{"unknown", "{}", "modle", "a/b", ": modle is not a known key (did you mean model?)"},
		{"unknown part", "{}", "providers.l.url", "x", ": providers.l.url is not a known key"},
		{"below a text", "{}", "model.x", "x", ": model.x is not a known key"},
		{"type", "{}", "retry.maxRetries", `"x"`, ": retry.maxRetries must be a whole number, not a text"},
		{"json", "{}", "retry.maxRetries", "x", ": retry.maxRetries must be a whole number"},
		{"range", "{}", "compaction.minGain", "3", ": compaction.minGain must be at most 1"},
		{"word", "{}", "providers.l.type", "odd", `: providers.l.type must be one of anthropic, openai, openai-responses, gemini, not "odd"`},
		{"inner", "{}", "providers.l", `{"typ":"openai"}`, ": providers.l.typ is not a known key (did you mean providers.l.type?)"},
		{"broken file", "{\n\n5}", "model", "a/b", ":3: cannot be read: invalid character '5' at start of object name"},
		{"no object", `{"retry":1}`, "retry.maxRetries", "1", `"retry" is not an object in the file`},
		{"key syntax", "{}", `providers["a`, "{}", `providers["a: write a part with a dot or slash as ["part"]`},
		{"empty part", "{}", "retry..x", "1", "retry..x: a part of the key is empty"},
		{"no key", "{}", "", "1", ": is not a known key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := settings.Edit([]byte(tt.doc), tt.key, tt.value, all()...)
			if err == nil || err.Error() != tt.want || out != nil {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	_, err := settings.Edit([]byte("{\n\n5}"), "model", "a/b", all()...)
	var p settings.Problem
	if !errors.As(err, &p) || p.Line != 3 {
		t.Errorf("no problem with a line: %v", err)
	}
}

func TestKeyNames(t *testing.T) {
	for _, parts := range [][]string{{"a"}, {"a", "b"}, {"a", "b/c.d", "e"}, {"a", `q"]\`}, {"a", ""}, {"a", "ü 字"}} {
		name := ""
		for _, p := range parts {
			name = valid.Member(name, p)
		}
		got, err := settings.SplitKey(name)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(parts) {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}

// genDoc makes a valid settings file with comments in every place that takes
// one, and returns the comments.
func genDoc(t *rapid.T) (string, []string) {
	var comments []string
	gap := func() string {
		switch rapid.IntRange(0, 4).Draw(t, "gap") {
		case 0:
			c := fmt.Sprintf("/* c%d */", len(comments))
			comments = append(comments, c)
			return c
		case 1:
			c := fmt.Sprintf("// c%d.", len(comments))
			comments = append(comments, c)
			return c + "\n  "
		case 2:
			return "\n    "
		}
		return rapid.SampledFrom([]string{"", " "}).Draw(t, "space")
	}
	object := func(members map[string]func() string, order []string) string {
		out, wrote := "{", false
		for _, name := range order {
			if !rapid.Bool().Draw(t, name) {
				continue
			}
			if wrote {
				out += ","
			}
			out += gap() + fmt.Sprintf("%q", name) + gap() + ":" + gap() + members[name]() + gap()
			wrote = true
		}
		if wrote && rapid.Bool().Draw(t, "comma") {
			out += ","
		}
		return out + gap() + "}"
	}
	text := func(s string) func() string { return func() string { return s } }
	retry := map[string]func() string{"maxRetries": text("1"), "enabled": text("true")}
	secrets := map[string]func() string{"patterns": func() string { return "[" + gap() + `"x"` + gap() + "]" }}
	provider := map[string]func() string{"type": text(`"openai"`), "apiKey": text(`"k"`)}
	providers := map[string]func() string{"local": func() string { return object(provider, []string{"type", "apiKey"}) }}
	root := map[string]func() string{
		"model":     text(`"a/b"`),
		"retry":     func() string { return object(retry, []string{"maxRetries", "enabled"}) },
		"secrets":   func() string { return object(secrets, []string{"patterns"}) },
		"providers": func() string { return object(providers, []string{"local"}) },
	}
	return gap() + object(root, []string{"model", "retry", "secrets", "providers"}) + gap() + "\n", comments
}

// A value that was set is what loads, every comment is still there, nothing
// else has changed, and setting it twice changes nothing more.
func TestSetThenLoad(t *testing.T) {
	sets := []struct{ key, listed, value, shown string }{
		{"model", "model", "c/d", `"c/d"`},
		{"retry.maxRetries", "retry.maxRetries", "7", "7"},
		{"retry.enabled", "retry.enabled", "false", "false"},
		{"secrets.patterns", "secrets.patterns", `["y","z"]`, `["y","z"]`},
		{"compaction.minGain", "compaction.minGain", "0.5", "0.5"},
		{"session.sync", "session.sync", "off", `"off"`},
		{"providers.local", "providers.local", `{"type":"gemini"}`, `{"type":"gemini"}`},
		{`compaction.modelOverrides["l/m"]`, `compaction.modelOverrides["l/m"]`, `{"reserveTokens":1}`, `{"reserveTokens":1}`},
	}
	rapid.Check(t, func(t *rapid.T) {
		doc, comments := genDoc(t)
		set := rapid.SampledFrom(sets).Draw(t, "set")
		out, err := settings.Edit([]byte(doc), set.key, set.value, all()...)
		if err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		for _, c := range comments {
			if strings.Count(string(out), c) != 1 {
				t.Fatalf("comment %q is lost or doubled\n%s\n%s", c, doc, out)
			}
		}
		before, _ := resolve(user(doc))
		after, _ := resolve(user(string(out)))
		old := map[string]string{}
		for _, r := range before.Keys {
			old[r.Key] = string(r.Value)
		}
		for _, r := range after.Keys {
			switch {
			case r.Key == set.listed:
				if string(r.Value) != set.shown || r.Source.Layer != settings.LayerUser {
					t.Fatalf("%s is %s from %s, want %s\n%s", r.Key, r.Value, r.Source, set.shown, out)
				}
			case old[r.Key] != string(r.Value):
				t.Fatalf("%s changed from %s to %s\n%s\n%s", r.Key, old[r.Key], r.Value, doc, out)
			}
		}
		again, err := settings.Edit(out, set.key, set.value, all()...)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("a second time: %v\n%s\n%s", err, out, again)
		}
	})
}

func FuzzEdit(f *testing.F) {
	f.Add([]byte(`{"retry":{"maxRetries":1},}`), "retry.maxRetries", "2")
	f.Add([]byte("// c\n"), `providers["a b"].headers.X`, "y")
	f.Add([]byte("{\"a\":[1, // c\n]}"), "model", "a/b")
	f.Fuzz(func(t *testing.T, doc []byte, key, value string) {
		out, err := settings.Edit(doc, key, value, all()...)
		if err != nil {
			return
		}
		if _, _, err := settings.ParseFile(bytes.TrimPrefix(out, settings.BOM)); err != nil && len(out) <= settings.MaxFile {
			t.Errorf("the result cannot be read: %v\n%q", err, out)
		}
	})
}

func TestSchema(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(must.Get(settings.Schema(all()...)), &schema); err != nil {
		t.Fatal(err)
	}
	at := func(path ...string) map[string]any {
		node := schema
		for _, p := range path {
			node, _ = settings.Properties(node)[p].(map[string]any)
		}
		return node
	}
	for name, help := range settings.Documented() {
		node := at(strings.Split(name, ".")...)
		if node["description"] != help {
			t.Errorf("%s: %v", name, node)
		}
	}
	if n := at("compaction", "thresholdPercent"); n["type"] != "number" || n["maximum"] != 100.0 || n["minimum"] != 0.0 {
		t.Error(n)
	}
	if n := at("session", "sync"); fmt.Sprint(n["enum"]) != "[always interval off]" || n["default"] != "always" {
		t.Error(n)
	}
	provider := at("providers")["additionalProperties"].(map[string]any)
	if provider["additionalProperties"] != false || settings.Properties(provider)["baseUrl"].(map[string]any)["type"] != "string" {
		t.Error(provider)
	}
	if !bytes.Equal(must.Get(settings.Schema(all()...)), must.Get(settings.Schema(all()...))) {
		t.Error("the schema is not the same twice")
	}
	if _, err := hujson.Parse(must.Get(settings.Schema(all()...))); err != nil {
		t.Error(err)
	}
}
