package settings_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/settings"

	"github.com/coppice-dev/coppice/agent/tools"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/secret"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func user(data string) settings.Input {
	return settings.Input{User: settings.File{"/u/settings.json", []byte(data)}}
}
func project(data string) settings.Input {
	return settings.Input{Project: settings.File{"/p/settings.json", []byte(data)}}
}

func resolved(t *testing.T, s *everything, key string) settings.Resolved {
	t.Helper()
	for _, r := range s.Keys {
		if r.Key == key {
			return r
		}
	}
	t.Fatalf("no key %s in the listing", key)
	return settings.Resolved{}
}

// The defaults of docs/hooks.md.
func TestDefaults(t *testing.T) {
	s, problems := resolve(settings.Input{})
	if len(problems) != 0 {
		t.Fatal(problems)
	}
	want := map[string]string{
		"compaction.enabled":              "true",
		"compaction.reserveTokens":        "16384",
		"compaction.keepRecentTokens":     "20000",
		"compaction.thresholdTokens":      "null",
		"compaction.thresholdPercent":     "null",
		"compaction.autoContinue":         "true",
		"compaction.continueText":         `"Continue if you have next steps."`,
		"compaction.remoteEndpoint":       "null",
		"compaction.model":                "null",
		"compaction.request":              `"serialized"`,
		"compaction.background":           "true",
		"compaction.minGain":              "0.1",
		"compaction.residueTokens":        "1000",
		"compaction.constraintTokens":     "2000",
		"compaction.retryOnContradiction": "false",
		"compaction.modelOverrides":       "{}",
		"branchSummary.enabled":           "false",
		"branchSummary.reserveTokens":     "16384",
		"branchSummary.skipPrompt":        "false",
		"prune.toolOutput.enabled":        "true",
		"prune.toolOutput.protectTokens":  "40000",
		"prune.toolOutput.minSavings":     "20000",
		"prune.toolOutput.protectedTools": `["skill","read"]`,
		"prune.superseded":                "true",
		"prune.empty":                     "true",
		"prune.media":                     "true",
		"prune.horizonTurns":              "20",
		"permissions.default":             `"ask"`,
		"permissions.allow":               "[]",
		"permissions.ask":                 "[]",
		"permissions.deny":                "[]",
		"permissions.hiddenEnv":           `["*_API_KEY"]`,
		"hooks":                           "{}",
		"secrets.patterns":                "[]",
		"session.dir":                     "null",
		"session.sync":                    `"always"`,
		"retry.enabled":                   "true",
		"retry.maxRetries":                "3",
		"retry.baseDelayMs":               "2000",
		"run.maxCalls":                    "null",
		"run.maxTokens":                   "null",
		"run.maxUSD":                      "null",
		"model":                           "null",
		"providers":                       "{}",
		"mcpServers":                      "{}",
		"errors.patterns":                 "[]",
		"windows.trustSettings":           "false",
	}
	if len(s.Keys) != len(want) {
		t.Errorf("%d keys, want %d", len(s.Keys), len(want))
	}
	for _, r := range s.Keys {
		if string(r.Value) != want[r.Key] || string(r.Default) != want[r.Key] || r.Source.Layer != settings.LayerDefault || r.Help == "" {
			t.Errorf("%s: value %s, default %s, source %s, help %q, want %s", r.Key, r.Value, r.Default, r.Source, r.Help, want[r.Key])
		}
	}
}

func TestLayers(t *testing.T) {
	const key, variable = "compaction.keepRecentTokens", "COPPICE_COMPACTION_KEEP_RECENT_TOKENS"
	in := settings.Input{}
	steps := []struct {
		add    func()
		want   int64
		source string
	}{
		{func() {}, 20000, "default"},
		{func() { in.User = user(`{"compaction":{"keepRecentTokens":1,"reserveTokens":7}}`).User }, 1, "user: /u/settings.json"},
		{func() { in.Project = project(`{"compaction":{"keepRecentTokens":2}}`).Project }, 2, "project: /p/settings.json"},
		{func() { in.Getenv = env(variable, "3") }, 3, "environment: " + variable},
		{func() { in.Flags = []settings.Flag{{"--keep-recent", key, "4"}} }, 4, "flag: --keep-recent"},
	}
	for _, step := range steps {
		step.add()
		s, problems := resolve(in)
		r := resolved(t, s, key)
		if len(problems) > 0 || *s.Compaction.KeepRecentTokens != step.want || r.Source.String() != step.source || string(r.Default) != "20000" {
			t.Errorf("%s: got %d from %s (default %s), %v", step.source, *s.Compaction.KeepRecentTokens, r.Source, r.Default, problems)
		}
		if in.User.Data != nil && *s.Compaction.ReserveTokens != 7 {
			t.Errorf("%s: the object did not merge", step.source)
		}
	}
}

func TestEveryVariable(t *testing.T) {
	for key, want := range map[string]string{
		"compaction.keepRecentTokens": "COPPICE_COMPACTION_KEEP_RECENT_TOKENS",
		"session.dir":                 "COPPICE_SESSION_DIR",
		"retry.baseDelayMs":           "COPPICE_RETRY_BASE_DELAY_MS",
		"run.maxUSD":                  "COPPICE_RUN_MAX_USD",
		"model":                       "COPPICE_MODEL",
		"branchSummary.skipPrompt":    "COPPICE_BRANCH_SUMMARY_SKIP_PROMPT",
	} {
		if got := settings.Variable(key); got != want {
			t.Errorf("Variable(%s) = %s, want %s", key, got, want)
		}
	}
	s, problems := resolve(settings.Input{Getenv: env("COPPICE_PROVIDERS", `{"local":{"type":"openai",},}`, "COPPICE_COMPACTION_ENABLED", "false")})
	if len(problems) > 0 || s.Config.Providers["local"].Type != "openai" || *s.Compaction.Enabled {
		t.Errorf("%+v, %v", s, problems)
	}
}

// Each row is a user file, the problem it must report, and what must still be
// true.
func TestProblems(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"unknown", "{\n  // here\n  \"compaction\": {\"keepRecentToken\": 5}\n}", "/u/settings.json:3: compaction.keepRecentToken is not a known key (did you mean compaction.keepRecentTokens?)"},
		{"wrong group", `{"keepRecentTokens": 5}`, "/u/settings.json:1: keepRecentTokens is not a known key (did you mean compaction.keepRecentTokens?)"},
		{"wrong case", `{"session":{"DIR":"x"}}`, "/u/settings.json:1: session.DIR is not a known key (did you mean session.dir?)"},
		{"nothing near", `{"zzz": 5}`, "/u/settings.json:1: zzz is not a known key"},
		{"dotted", `{"compaction.enabled": false}`, "/u/settings.json:1: compaction.enabled is not a known key: write the parts of a key as nested objects"},
		{"wrong type", "{\n\"compaction\": {\"enabled\":\n\"yes\"}}", "/u/settings.json:3: compaction.enabled must be true or false, not a text"},
		{"no object", `{"compaction": 5}`, "/u/settings.json:1: compaction must be an object, not this number"},
		{"fraction", `{"retry":{"maxRetries":1.5}}`, "/u/settings.json:1: retry.maxRetries must be a whole number, not this number"},
		{"negative", `{"retry":{"maxRetries":-1}}`, "/u/settings.json:1: retry.maxRetries must be 0 or more, not -1"},
		{"percent", `{"compaction":{"thresholdPercent":101}}`, "/u/settings.json:1: compaction.thresholdPercent must be at most 100"},
		{"share", `{"compaction":{"minGain":2}}`, "/u/settings.json:1: compaction.minGain must be at most 1"},
		{"word", `{"session":{"sync":"never"}}`, `/u/settings.json:1: session.sync must be one of always, interval, off, not "never"`},
		{"model", `{"model":"gpt"}`, `/u/settings.json:1: model must have the form "provider/model"`},
		{"address", `{"compaction":{"remoteEndpoint":"ftp://x"}}`, "/u/settings.json:1: compaction.remoteEndpoint must be an address that begins with http:// or https://"},
		{"pattern", `{"secrets":{"patterns":["("]}}`, "/u/settings.json:1: secrets.patterns[0] must be a regular expression: error parsing regexp: missing closing ): `(`"},
		{"list", `{"secrets":{"patterns":"x"}}`, "/u/settings.json:1: secrets.patterns must be a list, not a text"},
		{"class", `{"errors":{"patterns":[{"pattern":"x","class":"odd"}]}}`, `/u/settings.json:1: errors.patterns[0].class must be one of overflow, overflow-output, bytes, rate-limit, quota, auth, bad-request, pairing, thinking, transient, unknown, not "odd"`},
		{"field", `{"providers":{"l":{"type":"openai","baseURL":"http://l"}}}`, "/u/settings.json:1: providers.l.baseURL is not a known key (did you mean providers.l.baseUrl?)"},
		{"no type", `{"providers":{"l":{}}}`, "/u/settings.json: providers.l must have a type: anthropic, openai, openai-responses, gemini"},
		{"two keys", `{"providers":{"l":{"type":"openai","apiKey":"a","apiKeyEnv":"b"}}}`, "/u/settings.json: providers.l has both apiKey and apiKeyEnv; apiKey is used"},
		{"a server without anything", `{"mcpServers":{"s":{"args":["x"]}}}`, "/u/settings.json:1: mcpServers.s must have a command or a url"},
		{"a server with both", `{"mcpServers":{"s":{"command":"x","url":"http://l"}}}`, "/u/settings.json:1: mcpServers.s has both a command and a url"},
		{"a server of another type", `{"mcpServers":{"s":{"type":"http","command":"x"}}}`, "/u/settings.json:1: mcpServers.s must have a url if its type is http"},
		{"a program without command", `{"mcpServers":{"s":{"type":"stdio","url":"http://l"}}}`, "/u/settings.json:1: mcpServers.s must have a command if its type is stdio"},
		{"a transport of old", `{"mcpServers":{"s":{"type":"sse","url":"http://l"}}}`, `/u/settings.json:1: mcpServers.s.type must be one of stdio, http, not "sse"`},
		{"no id", `{"providers":{"l":{"type":"openai","models":[{}]}}}`, "/u/settings.json: providers.l has a model without an id"},
		{"slash", `{"providers":{"a/b":{"type":"openai"}}}`, `/u/settings.json: providers["a/b"] must have a name without slashes`},
		{"event", `{"hooks":{"tool_cal":[]}}`, "/u/settings.json:1: hooks.tool_cal is not a known key (did you mean hooks.tool_call?)"},
		{"hook", "{\"hooks\":{\"tool_call\":[\n{}]}}", "/u/settings.json:2: hooks.tool_call[0] must have a command"},
		{"hook's key", `{"hooks":{"session.compacting":[{"command":["a"],"requird":true}]}}`, `/u/settings.json:1: hooks["session.compacting"][0].requird is not a known key (did you mean hooks["session.compacting"][0].required?)`},
		{"hook's limit", `{"hooks":{"context":[{"command":["a"],"timeoutSeconds":1e6}]}}`, "/u/settings.json:1: hooks.context[0].timeoutSeconds must be at most 86400"},
		{"permission", `{"permissions":{"default":"yes"}}`, `/u/settings.json:1: permissions.default must be one of allow, ask, deny, not "yes"`},
		{"rule", `{"permissions":{"deny":[" "]}}`, "/u/settings.json:1: permissions.deny[0] must name a tool"},
		{"syntax", "{\n\"model\" \"x\"}", "/u/settings.json:2: cannot be read: invalid character '\"' after object name"},
		{"torn", `{"model": "a`, "/u/settings.json:1: cannot be read: parsing string: unexpected EOF"},
		{"array", `[]`, "/u/settings.json:1: must hold one object in braces"},
		{"huge", strings.Repeat("[", settings.MaxFile+1), "/u/settings.json: is larger than 256 KiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := user(tt.file)
			in.Project = project(`{"retry":{"baseDelayMs":9}}`).Project
			s, problems := resolve(in)
			if len(problems) != 1 || problems[0].Error() != tt.want {
				t.Errorf("got  %v\nwant %s", problems, tt.want)
			}
			if s.Config.Retry.BaseDelay != 9*time.Millisecond || *s.Compaction.ReserveTokens != 16384 {
				t.Error("the other settings do not hold")
			}
		})
	}
}

func TestNeighboursOfABadValueCount(t *testing.T) {
	s, problems := resolve(user(`{"compaction":{"enabled":"x","reserveTokens":5},
		"secrets":{"patterns":["a","(","b"]},
		"providers":{"l":{"type":"openai","baseUrl":7,"models":[{"id":"m","contextWindow":8192}]}}}`))
	if len(problems) != 3 {
		t.Error(problems)
	}
	if !*s.Compaction.Enabled || *s.Compaction.ReserveTokens != 5 || !slices.Equal(s.Secrets.Patterns, []secret.Pattern{"a", "b"}) {
		t.Errorf("%+v", s)
	}
	if p := s.Config.Providers["l"]; p.Type != "openai" || len(p.Models) != 1 || p.Models[0].ContextWindow != 8192 {
		t.Errorf("%+v", p)
	}
}

func TestAcceptedForms(t *testing.T) {
	for _, file := range []string{"", "  \n", "// nothing yet\n", "\ufeff{}", "{} // end", "{\r\n}\r\n",
		`{"$schema":"x","compaction":{"reserveTokens":null,},}`, `{"compaction":{"reserveTokens":1.6384e4}}`} {
		s, problems := resolve(user(file))
		if len(problems) > 0 || *s.Compaction.ReserveTokens != 16384 {
			t.Errorf("%q: %v", file, problems)
		}
	}
}

func TestDeepNestingIsAProblemOnly(t *testing.T) {
	_, problems := resolve(user(`{"providers":` + strings.Repeat("[", settings.MaxFile-100)))
	if len(problems) != 1 {
		t.Error(problems)
	}
	_, problems = resolve(user(`{"providers":` + strings.Repeat(`{"a":`, 10000) + "1" + strings.Repeat("}", 10001)))
	if len(problems) != 2 { // an unknown key in a provider, which has no type
		t.Error(problems)
	}
}

func TestMerge(t *testing.T) {
	in := user(`{"providers":{"l":{"type":"openai","baseUrl":"http://l:1","headers":{"A":"1"}}},
		"compaction":{"modelOverrides":{"l/m":{"reserveTokens":1},"l/n":{"thresholdTokens":3}}},
		"secrets":{"patterns":["u"]}}`)
	in.Project = project(`{"providers":{"l":{"headers":{"B":"2"}},"k":{"type":"gemini"}},
		"compaction":{"modelOverrides":{"l/m":{"keepRecentTokens":2}}},"secrets":{"patterns":["p"]}}`).Project
	in.Trusted = true
	s, problems := resolve(in)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	l := s.Config.Providers["l"]
	if l.BaseURL != "http://l:1" || string(l.Headers["A"]) != "1" || string(l.Headers["B"]) != "2" || s.Config.Providers["k"].Type != "gemini" {
		t.Errorf("%+v", s.Config.Providers)
	}
	if !slices.Equal(s.Secrets.Patterns, []secret.Pattern{"u", "p"}) {
		t.Error(s.Secrets.Patterns)
	}
	if c := s.Compaction.For("l/m"); *c.ReserveTokens != 1 || *c.KeepRecentTokens != 2 {
		t.Errorf("%+v", c)
	}
	if src := resolved(t, s, `compaction.modelOverrides["l/n"]`).Source; src.Layer != settings.LayerUser {
		t.Error(src)
	}
	if src := resolved(t, s, "providers.k").Source; src.Layer != settings.LayerProject {
		t.Error(src)
	}
}

// Hooks and rules of all layers count, and each hook knows where it is from.
func TestHooksAddUp(t *testing.T) {
	in := user(`{"hooks":{"tool_call":[{"command":["u"],"name":"10","required":true,"timeoutSeconds":0.5}],"context":[{"command":["c","-v"]}]},
		"permissions":{"allow":["bash git *"],"deny":["write"]}}`)
	in.Project = project(`{"hooks":{"tool_call":[{"command":["p"]}]},"permissions":{"allow":["write docs/**"],"default":"deny"}}`).Project
	s, problems := resolve(in)
	if len(problems) > 0 || len(s.Hooks.Hooks["tool_call"]) != 1 || len(s.Permissions.Allow) != 1 || s.Permissions.Default != tools.Asked {
		t.Errorf("untrusted: %+v %+v %v", s.Hooks, s.Permissions, problems)
	}
	if want := []string{"hooks", "permissions.allow", "permissions.default"}; !slices.Equal(s.Project.Ignored, want) {
		t.Errorf("ignored %q", s.Project.Ignored)
	}
	in.Trusted = true
	s, problems = resolve(in)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	h := s.Hooks.Hooks["tool_call"]
	if len(h) != 2 || h[0].Command[0] != "u" || h[0].Project || !h[0].Required || h[0].Timeout != 500*time.Millisecond || h[1].Command[0] != "p" || !h[1].Project {
		t.Errorf("%+v", h)
	}
	if c := s.Hooks.Hooks["context"]; len(c) != 1 || !slices.Equal(c[0].Command, []string{"c", "-v"}) {
		t.Errorf("%+v", c)
	}
	if p := s.Permissions; !slices.Equal(p.Allow, []tools.Rule{"bash git *", "write docs/**"}) || p.Default != tools.Denied || len(p.Deny) != 1 {
		t.Errorf("%+v", p)
	}
	if src := resolved(t, s, "hooks.context").Source; src.Layer != settings.LayerUser {
		t.Error(src)
	}
}

func TestOverrides(t *testing.T) {
	s, problems := resolve(user(`{"compaction":{"thresholdTokens":100,"modelOverrides":{
		"l/p":{"thresholdPercent":50},"l/both":{"thresholdPercent":50,"thresholdTokens":7},"o/a/b":{"reserveTokens":9}}}}`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, tt := range []struct {
		provider, model string
		tokens          int64
		percent         float64
		reserve         int64
	}{
		{"l", "other", 100, 0, 16384},
		{"l", "p", 0, 50, 16384},
		{"l", "both", 7, 50, 16384},
		{"o", "a/b", 100, 0, 9},
	} {
		c := s.Compaction.For(tt.provider + "/" + tt.model)
		if c.ThresholdTokens != tt.tokens || c.ThresholdPercent != tt.percent || *c.ReserveTokens != tt.reserve {
			t.Errorf("%s/%s: %+v", tt.provider, tt.model, c)
		}
	}
}

func TestProjectTrust(t *testing.T) {
	const file = `{"model":"a/b","providers":{"x":{"type":"openai"}},"secrets":{"patterns":["p"]},
		"compaction":{"model":"a/b","remoteEndpoint":"http://x","reserveTokens":5}}`
	in := project(file)
	s, problems := resolve(in)
	want := []string{"model", "providers", "secrets.patterns", "compaction.model", "compaction.remoteEndpoint"}
	if len(problems) > 0 || !slices.Equal(s.Project.Ignored, want) || s.Project.Hash != settings.ContentHash([]byte(file)) {
		t.Errorf("%+v, %v", s.Project, problems)
	}
	if s.Config.Model != "" || s.Config.Providers != nil || s.Secrets.Patterns != nil || s.Summaries.Model != "" || s.Summaries.RemoteEndpoint != "" {
		t.Errorf("an untrusted value counts: %+v", s)
	}
	if *s.Compaction.ReserveTokens != 5 {
		t.Error("a harmless value does not count")
	}
	in.Trusted = true
	s, _ = resolve(in)
	if s.Config.Model != "a/b" || len(s.Config.Providers) != 1 || len(s.Project.Ignored) != 0 || !s.Project.Trusted {
		t.Errorf("trusted: %+v", s)
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	s, problems := resolve(user(`{"providers":{"l":{"type":"openai","apiKey":"sk-live-1","headers":{"X":"sk-live-2"},
		"baseUrl":"https://me:sk-live-3@host/v1"}},"compaction":{"remoteEndpoint":"https://me:sk-live-4@host"}}`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	listing, err := json.Marshal(s.Keys)
	if err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	l := s.Config.Providers["l"]
	l.BaseURL = "" // a password belongs elsewhere; the listing hides it all the same
	fmt.Fprintf(&printed, "%s\n%v\n%+v\n%#v", listing, l, l.Headers, l.APIKey)
	if strings.Contains(printed.String(), "sk-live") {
		t.Errorf("a secret is shown: %s", &printed)
	}
	if string(s.Config.Providers["l"].APIKey) != "sk-live-1" {
		t.Error("the value itself is lost")
	}
	_, problems = resolve(user(`{"providers":{"l":{"apiKey":"sk-live-5\q"}}}`))
	if len(problems) != 1 || strings.Contains(problems[0].Error(), "sk-live") {
		t.Errorf("a problem shows a secret: %v", problems)
	}
}

func TestListingJSON(t *testing.T) {
	s, _ := resolve(settings.Input{Flags: []settings.Flag{{"--model", "model", "a/b&c"}}})
	got, err := json.Marshal(resolved(t, s, "model"))
	want := `{"key":"model","value":"a/b\u0026c","default":null,"source":"flag: --model","help":"provider/model to use; unset: the first of providers with a key"}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

func TestFlagProblems(t *testing.T) {
	_, problems := resolve(settings.Input{Flags: []settings.Flag{{"--set", "modle", "x"}, {"--reserve", "compaction.reserveTokens", "many"}}})
	want := []string{"--set: modle is not a known key (did you mean model?)", "--reserve: compaction.reserveTokens must be a whole number"}
	for i, w := range want {
		if len(problems) != len(want) || problems[i].Error() != w {
			t.Fatalf("%v", problems)
		}
	}
}

// A library passes in the types that it knows: other keys are ignored and not
// reported.
func TestPartOfTheKeys(t *testing.T) {
	var c compaction.Settings
	in := user(`{"compaction":{"reserveTokens":5,"model":"odd","continueText":7},"providers":7,"zzz":1}`)
	in.Getenv, in.Flags = env("COPPICE_RETRY_MAX_RETRIES", "many", "COPPICE_COMPACTION_MIN_GAIN", "0.5"), []settings.Flag{{"--model", "model", "x"}}
	r, problems := settings.Resolve(in, settings.Part{"compaction", &c})
	if len(problems) != 1 || !problems[0].Unknown || problems[0].Key != "zzz" {
		t.Errorf("%+v", problems)
	}
	if c.ReserveTokens == nil || *c.ReserveTokens != 5 || *c.MinGain != 0.5 || c.KeepRecentTokens != nil {
		t.Errorf("%+v", c)
	}
	for _, k := range r.Keys {
		if !strings.HasPrefix(k.Key, "compaction.") || k.Key == "compaction.model" {
			t.Errorf("it lists %s", k.Key)
		}
	}
}

// A value that its type refuses leaves the one of the layer below.
func TestARefusedValueFallsBack(t *testing.T) {
	in := user(`{"compaction":{"thresholdPercent":50,"modelOverrides":{"l/m":{"reserveTokens":7}}},"providers":{"l":{"type":"openai","baseUrl":"http://l"}}}`)
	in.Project = project(`{"compaction":{"thresholdPercent":500,"modelOverrides":{"l/m":{"thresholdPercent":500}}},"providers":{"l":{"baseUrl":"l"}}}`).Project
	in.Trusted = true
	s, problems := resolve(in)
	if len(problems) != 3 || problems[2].Error() != "/p/settings.json:1: providers.l.baseUrl must be an address that begins with http:// or https://" {
		t.Error(problems)
	}
	if o := s.Compaction.ModelOverrides["l/m"]; s.Compaction.ThresholdPercent != 50 || *o.ReserveTokens != 7 || o.ThresholdPercent != nil || s.Config.Providers["l"].BaseURL != "http://l" {
		t.Errorf("%+v %+v", s.Compaction, s.Config.Providers)
	}
}

func TestComplete(t *testing.T) {
	if _, err := settings.Schema(all()...); err != nil {
		t.Error(err)
	}
	_, err := settings.Schema(settings.Part{"compaction", &struct {
		Odd int64 `json:"odd"`
	}{}})
	if err == nil || !strings.Contains(err.Error(), "compaction.odd is not in the table") || !strings.Contains(err.Error(), "no part has a place for hooks") {
		t.Error(err)
	}
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{`{}`, `{"model":"a/b",}`, "// c\n{\"compaction\":{\"enabled\":1}}", `{"providers":{"x":{"models":[{"price":{}}]}}}`,
		`{"compaction":{"modelOverrides":{"a/b":{"reserveTokens":1}}}}`, `{"model":null}`, `{"providers":null}`, "\ufeff{", `{"retry":{"maxRetries":1e400}}`,
		`{"hooks":{"":[{"":1,"command":["a"]}],"context":[{"command":[]}]},"permissions":{"allow":["x"],"allow":null}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, problems := resolve(settings.Input{User: settings.File{"u", data}})
		for _, p := range problems {
			if p.Error() == "" || p.Line < 0 || p.Line > 1+bytes.Count(data, []byte("\n")) {
				t.Errorf("problem %+v", p)
			}
		}
		if _, err := json.Marshal(s.Keys); err != nil {
			t.Errorf("the listing cannot be written: %v", err)
		}
	})
}

// A project's servers count when it is trusted; then they merge with the user's,
// and null removes one.
func TestMCPServers(t *testing.T) {
	in := user(`{"mcpServers":{"a":{"command":"x","args":["1"],"env":{"T":"sk-live-1"},"timeoutSeconds":5},"b":{"url":"https://me:sk-live-2@h/mcp","headers":{"K":"sk-live-3"}}}}`)
	in.Project = project(`{"mcpServers":{"a":{"args":["2"]},"b":null,"c":{"type":"stdio","command":"y"}}}`).Project
	s, problems := resolve(in)
	all := s.Servers.Servers
	if len(problems) > 0 || len(all) != 2 || all["a"].Args[0] != "1" || all["b"].URL == "" || s.Project.Ignored[0] != "mcpServers" {
		t.Errorf("untrusted: %+v %+v %v", all, s.Project, problems)
	}
	if shown := fmt.Sprintf("%s %s %+v", resolved(t, s, "mcpServers.a").Value, resolved(t, s, "mcpServers.b").Value, all["a"]); strings.Contains(shown, "sk-live") || !strings.Contains(shown, `"timeoutSeconds":5`) {
		t.Errorf("a secret is shown: %s", shown)
	}
	in.Trusted = true
	s, problems = resolve(in)
	a := s.Servers.Servers["a"]
	if len(problems) > 0 || a.Command != "x" || a.Args[0] != "2" || a.Env["T"] != "sk-live-1" || a.CallLimit != 5*time.Second || s.Servers.Servers["c"].Command != "y" {
		t.Errorf("trusted: %+v %v", s.Servers, problems)
	}
	if b := s.Servers.Servers["b"]; b.Command != "" || b.URL != "" {
		t.Errorf("null leaves %+v", b)
	}
}
