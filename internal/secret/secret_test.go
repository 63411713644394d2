package secret

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Keys are assembled here so that no scanner reports this file as a leak.
var (
	alpha = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6kL9"
	lows  = "a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6"
)

func mask(t testing.TB, s string, extra ...string) string {
	t.Helper()
	m, err := New(extra)
	if err != nil {
		t.Fatal(err)
	}
	return m.Mask(s)
}

func TestMaskKnownShapes(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"aws", "id AKIA" + "IOSFODNN7EXAMPLE.", "id [secret: aws-key]."},
		{"aws secret", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\nx", "AWS_SECRET_ACCESS_KEY=[secret: credential]\nx"},
		{"github", "use ghp_" + alpha, "use [secret: github-token]"},
		{"github assigned", "GITHUB_TOKEN=ghp_" + alpha, "GITHUB_TOKEN=[secret: github-token]"},
		{"github fine-grained", "github_pat_" + alpha + "_" + alpha, "[secret: github-token]"},
		{"github in json escape", `a\nghp_` + alpha + `\nb`, `a\n[secret: github-token]\nb`},
		{"openai", "sk-proj-" + alpha + "-x_1", "[secret: openai-key]"},
		{"openai old", "key sk-" + lows + lows, "key [secret: openai-key]"},
		{"anthropic", "sk-ant-api03-" + alpha, "[secret: anthropic-key]"},
		{"google", "?key=AIza" + alpha[:35], "?key=[secret: google-key]"},
		{"slack", "xoxb-123456789012-" + lows, "[secret: slack-token]"},
		{"stripe", "sk_live_" + alpha[:24], "[secret: stripe-key]"},
		{"npm", "//r/:_authToken=npm_" + alpha[:36], "//r/:_authToken=[secret: npm-token]"},
		{"gitlab", "glpat-" + alpha[:20], "[secret: gitlab-token]"},
		{"jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P", "[secret: jwt]"},
		{"bearer", "Authorization: Bearer " + lows, "Authorization: Bearer [secret: bearer-token]"},
		{"basic", `-H "authorization: basic dXNlcjpodW50ZXIyMjI="`, `-H "authorization: basic [secret: bearer-token]"`},
		{"url", "postgres://bob:hunter2@db:5432/x", "postgres://bob:[secret: url-password]@db:5432/x"},
		{"url without user", "redis://:s3cr3t@localhost", "redis://:[secret: url-password]@localhost"},
		{"password", "password=hunter2 next", "password=[secret: password] next"},
		{"password json", `{"dbPassword": "hunter2!"}`, `{"dbPassword": "[secret: password]"}`},
		{"password flag", "mysql --password hunter22 -u x", "mysql --password [secret: password] -u x"},
		{"api key yaml", `api_key: "` + alpha + `"`, `api_key: "[secret: credential]"`},
		{"go assignment", `clientSecret := "` + lows + `"`, `clientSecret := "[secret: credential]"`},
		{"query", "?access_token=" + lows + "&x=1", "?access_token=[secret: credential]&x=1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mask(t, tt.in); got != tt.want {
				t.Errorf("Mask(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestMaskPrivateKeys(t *testing.T) {
	line := strings.Repeat("MIIEowIBAAKCAQEA", 4)
	begin, end := "-----BEGIN RSA PRIVATE "+"KEY-----", "-----END RSA PRIVATE "+"KEY-----"
	tests := []struct{ name, in, want string }{
		{"whole", "a\n" + begin + "\n" + line + "\n" + line + "\nshort==\n" + end + "\nb", "a\n[secret: private-key]\nb"},
		{"last line without padding", begin + "\n" + line + "\nabc\n" + end + "b", "[secret: private-key]b"},
		{"escaped", `"` + begin + `\n` + line + `\n` + end + `\n"`, `"[secret: private-key]\n"`},
		{"encrypted", begin + "\nProc-Type: 4,ENCRYPTED\n\n" + line + "\n" + end, "[secret: private-key]"},
		{"torn off", begin + "\n" + line + "\n" + line[:20], "[secret: private-key]"},
		{"only spoken of", "look for " + begin + " in files", "look for " + begin + " in files"},
		{"public", "-----BEGIN PUBLIC KEY-----\n" + line, "-----BEGIN PUBLIC KEY-----\n" + line},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mask(t, tt.in); got != tt.want {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestMaskLeavesAlone(t *testing.T) {
	for _, s := range []string{
		"",
		"commit 96eff81d0c5e1b7a9f3e2d4c6b8a0f1e2d3c4b5a",
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"019b0000-0000-7000-8000-000000000001",
		`"session_token": "019b0000-0000-7000-8000-000000000001"`,
		"max_tokens: 16384, token_count: 123456789012345678",
		"model: claude-3-5-sonnet-20241022, tokens=claude-3-5-sonnet-20241022",
		"const token: string; password: string",
		"password = getPassword1(req)",
		"token = tokens[0]",
		"password=$PASSWORD api_key=${API_KEY} secret: <your-secret-1>",
		"Authorization: Bearer $TOKEN",
		"Authorization: Bearer YOUR_API_KEY",
		"basic understanding of the risk-assessment-procedure",
		"sk-loading-spinner-container-large",
		"task-12345678901234567890",
		"https://github.com/a/b@v1.2.3",
		"git@github.com:a/b.git",
		"PWD=/home/user/project2",
		"the password must be 8 characters",
		"passwordHash: 5f4dcc3b5aa765d61d8327deb882cf99",
		"npm_config_registry_is_a_long_variable_name",
		"パスワード: 秘密",
	} {
		if got := mask(t, s); got != s {
			t.Errorf("Mask(%q) = %q", s, got)
		}
	}
}

func TestMaskExtraPatterns(t *testing.T) {
	if got := mask(t, "room ZZ-1234 and ZZ-9", `ZZ-\d+`); got != "room [secret: custom] and [secret: custom]" {
		t.Errorf("got %q", got)
	}
	if got := mask(t, "password=hunter2", `x*`, "hunter"); got != "password=[secret: password]" {
		t.Errorf("overlap: got %q", got)
	}
	if got := mask(t, "secret aab", "^a|secret"); got != "[secret: custom] aab" {
		t.Errorf("a stub is not masked again: got %q", got)
	}
	if _, err := New([]string{"("}); err == nil {
		t.Error("a pattern that does not compile is accepted")
	}
}

// hostile are texts to repeat that a scan may read again from each place in them.
var hostile = []string{"sk-", "eyJ-", "eyJa.", "://a:", "password=", "-----BEGIN ", "--token", "a:a=", "[secret: ", "-----BEGIN PRIVATE KEY-----", "Bearer ",
	"token:\"", "\\n", "token=a"}

func TestMaskIdempotent(t *testing.T) {
	pieces := []string{"password", "=", ":", " ", "\"", "ghp_" + alpha, "sk-", "AKIA" + "IOSFODNN7EXAMPLE", "hunter2", "://", "u:", "@h",
		"[secret: ", "x]", "eyJhbGciOiJI.eyJzdWIiOiI", ".", "token", "Bearer ", lows, "\n", "é", "--", "a"}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "")
		m := &Masker{}
		once := m.Mask(s)
		if twice := m.Mask(once); twice != once {
			t.Fatalf("%q\n once %q\ntwice %q", s, once, twice)
		}
		if strings.Contains(once, "ghp_"+alpha) && !strings.Contains(s, "aghp_"+alpha) && !strings.Contains(s, "2ghp_") &&
			strings.HasPrefix(once, "ghp_") {
			t.Fatalf("%q is not masked: %q", s, once)
		}
	})
}

func FuzzMask(f *testing.F) {
	for _, s := range []string{"password=hunter2", "ghp_" + alpha, "é한🏷 token: \"" + lows + "\"", "[secret: x]", "a://b:cde@f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m := &Masker{}
		got := m.Mask(s)
		if m.Mask(got) != got {
			t.Fatalf("not idempotent: %q -> %q -> %q", s, got, m.Mask(got))
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("%q became invalid UTF-8", s)
		}
	})
}

func BenchmarkMask(b *testing.B) {
	text := strings.Repeat("func main() { x := 5; token = \"none\" } // see https://example.com/a:b\n", 1<<14)
	m := &Masker{}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m.Mask(text)
	}
}
