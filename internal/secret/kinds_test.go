package secret

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

var (
	digits32 = "8545" + "75622f856469602d1ba9f20df487"
	random24 = "tUtqUKJQ79ve6mL7" + "fLltLwDw"
	github   = "ghp_" + alpha[:36]
	keyBody  = "geiwBxfZCGGQccOif7UuXUGfdWG5yP8Yib2eNUS0hmi4Fs9Z6YkRYU7oe1wNWqku"
	begin    = "-----BEGIN RSA PRIVATE " + "KEY-----"
	end      = "-----END RSA PRIVATE " + "KEY-----"
)

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// Each kind of place that a secret is found in, with the secret that may not be
// left. No case has more than the secret masked.
func TestMaskKinds(t *testing.T) {
	escaped := strings.ReplaceAll(github, "_", `\u005f`)
	for _, tt := range []struct{ kind, before, secret, after string }{
		// what hides a token
		{"colour", "\x1b[32m", github, "\x1b[0m"},
		{"written colour", `\x1b[1;32m`, github, `\033[0m`},
		{"percent", "?access_token%3D", github, "%26x"},
		{"unicode escape", `"`, escaped, `"`},
		{"escaped escape", `"`, strings.ReplaceAll(escaped, `\`, `\\`), `"`},
		{"hex escape", `"`, `\x67\x68\x70_` + alpha[:36], `"`},
		{"zero width", "", github[:9] + "\u200b" + github[9:], ""},
		{"joined", `x = "`, github[:12] + `" + "` + github[12:], `"`},
		{"joined over lines", `x = "`, github[:12] + "\" +\n    \"" + github[12:], `"`},
		{"joined in PHP", `$x = '`, github[:12] + `' . '` + github[12:], `'`},
		{"continued line", `token = "`, random24[:12] + "\\\n" + random24[12:], `"`},
		{"base64", "echo ", b64("export GH=" + github), " | base64 -d"},
		{"base64 over lines", "", b64(strings.Repeat("x ", 25) + github)[:76] + "\n" + b64(strings.Repeat("x ", 25) + github)[76:], "\n"},
		{"base64 of a name and a value", "", b64("DB_PASSWORD=hunter2hunter"), ""},
		// keys
		{"numbered", "     1\t", begin + "\n     2\t" + keyBody + "\n     3\t" + end, ""},
		{"arrow", "1→", begin + "\n2→" + keyBody + "\n3→" + end, ""},
		{"grep", "id_rsa:1:", begin + "\nid_rsa:2:" + keyBody + "\nid_rsa:3:" + end, ""},
		{"grep context", "k/id_rsa-1-", begin + "\nk/id_rsa-2-" + keyBody + "\nk/id_rsa-3-" + end, ""},
		{"diff", "+", begin + "\n+" + keyBody + "\n+" + end, ""},
		{"indented", "tls.key: |\n    ", begin + "\n    " + keyBody + "\n    " + end, ""},
		{"without its beginning", "...\n", keyBody + "\n" + keyBody + "\n" + end, "\n"},
		{"quoted lines", `k = "`, begin + "\\n\" +\n  \"" + keyBody + "\\n\" +\n  \"" + end, `\n"`},
		{"putty", "Private-Lines: 2\n", keyBody + "\n" + keyBody[:40], "\nPrivate-MAC: 12"},
		// URLs
		{"user part", "git clone https://", strings.ToLower(alpha[:20]) + "77", "@host.example/x"},
		{"slash in a password", "redis://:", "a/b+1NjUjpUu", "@cache:6379/0"},
		{"bracket in a password", "postgres://bob:", "a(b)1NjU", "@db/x"},
		{"at in a password", "amqp://bob:", "p@ssw0rd", "@mq:5672/"},
		{"signature", "https://a.example/c?sp=rl&sig=", "fq0fjzLczbttOofL9H2WjQ5TY4MyWuUFjsUNPjc01T5%3D", ""},
		{"slack", "https://hooks.slack.com/services/", "TbV3AyAVH/BnyrvWdFr/K9xiRGHOY32nfr5pyzPCB9t2", ""},
		{"discord", "https://discord.com/api/webhooks/", "123456789012345678/" + alpha + alpha[:20], ""},
		{"telegram", "https://api.telegram.org/bot", "123456789:AA" + alpha[:33], "/sendMessage"},
		{"teams", "https://x.webhook.office.com/webhookb2/", "8d33296c-8700-9e8a-7f77-0d9106fd287d@8d33296c-8700-9e8a-7f77-0d9106fd287d/IncomingWebhook/" + digits32 + "/x", ""},
		// names
		{"words", "DB_PASSWORD=", "correct-horse-battery-staple", ""},
		{"words in quotes", `password: "`, "swordfish", `"`},
		{"blanks", `ADMIN_PASSWORD="`, "P@ssw0rd 123 with space", `"`},
		{"hexadecimal", "DD_API_KEY=", digits32, ""},
		{"uuid", "HEROKU_API_KEY=", "5b15b0be-23b7-ac19-3fe0-407275539800", ""},
		{"vendor's key", "STRIPE_KEY=", random24, ""},
		{"next line", "password:\n  ", "L2oRlPhDBuqOSg5ApYzTTOkq", "\nuser: x"},
		{"next line, numbered", "  3\tpassword:\n  4\t  ", "L2oRlPhDBuqOSg5ApYzTTOkq", "\n  5\tuser: x"},
		{"block", "password: |-\n  ", "hunter2hunter", "\nuser: x"},
		{"docker", `{"auths":{"r.example":{"auth":"`, b64("user:hunter2hunter"), `"}}}`},
		{"kubeconfig", "client-key-data: ", b64(begin + "\n" + keyBody), "\n"},
		{"kubernetes", "kind: Secret\ndata:\n  tls: ", b64("any bytes at all"), "\n"},
		{"element", "<password>", "hunter2hunter", "</password>"},
		{"attributes", `<add key="ApiKey" value="`, "nZLNDz7UCn4ndlB2Ohdi34e0MFla7UJV", `"/>`},
		{"pair", `{"name":"DB_PASSWORD","value":"`, "hunter2!", `"}`},
		{"define", "define('DB_PASSWORD', '", "d7Sick1CsWo3LZuTJUjt", "');"},
		{"typed", `const password: string = "`, "hunter2!", `"`},
		{"subscript", `env["API_TOKEN"] = "`, random24, `"`},
		{"connection", "Server=db;User Id=sa;Password=", "ZkFoRURVsZnI1kjX6TnH", ";"},
		{"sql", "CREATE USER bob IDENTIFIED BY '", "swordfish", "'"},
		{"sentence", "the root password is ", "S3cretPw9", ", please use it"},
		{"sentence in German", "Das Passwort lautet ", "S3cretPw9", ""},
		{"header", "Authorization: ", "zDnki7XeZZOmEPJUo09jwQO10Y0ADsWJPiX1EwY2", ""},
		{"scheme", "Authorization: Token ", "UNwOdqryzdaeA6AOSRwLqgotVz89HoZ9", ""},
		{"cookie", "Cookie: theme=dark; connect.sid=", "s%3ACfHOF2fmiB9YsNXx6cTCyxcTWsABPMZq.wpy2Li7Nm2TLxeQnv3ef", "; lang=en"},
		// command lines and files of passwords
		{"curl", "curl -u admin:", "s3cr3tpw99", " https://x"},
		{"curl quoted", "curl --user 'admin:", "two words", "' https://x"},
		{"mysql", "mysql -h db -u root -p", "hunter2", " app"},
		{"sshpass", "sshpass -p ", "S3cretPw9", " ssh root@h"},
		{"docker login", "docker login -u bob -p ", "swordfish", " r.example"},
		{"redis", "redis-cli -h x -a ", "swordfish", " ping"},
		{"openssl", "openssl enc -aes-256-cbc -pass pass:", "swordfish", " -in x"},
		{"stdin", "echo '", "swordfish", "' | docker login -u bob --password-stdin"},
		{"flag", "--password=", "swordfish", " x"},
		{"netrc", "machine h\n  login bob\n  password ", "swordfish", "\n"},
		{"pgpass", "db.internal:5432:app:bob:", "hunter2hunter", "\n"},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			got := mask(t, tt.before+tt.secret+tt.after)
			if !strings.HasPrefix(got, tt.before) || !strings.HasSuffix(got, tt.after) {
				t.Errorf("more than the secret is masked: %q", got)
			}
			if middle := strings.TrimSuffix(strings.TrimPrefix(got, tt.before), tt.after); !stub(middle) {
				t.Errorf("got %q, left %q", got, middle)
			}
		})
	}
}

// stub reports whether s is one stub.
func stub(s string) bool {
	start, end := nextStub(s)
	return start == 0 && end == len(s) && s != ""
}

func TestMaskLeavesCode(t *testing.T) {
	for _, s := range []string{
		"password: process.env.DB_PASSWORD1",
		"password = hashPassword2(input)",
		"password: 'Passwort1 eingeben'",
		`"password": "Kennwort"`,
		`placeholder="password" type="password"`,
		"imagePullSecrets: regcred-prod-2",
		"tokenizer: cl100k_base_2024_v3",
		"arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbC123",
		"expect(password).toBe('abc123')",
		"cookie: theme=dark2; lang=en",
		"docker run -p 8080:80 -u 1000:1000 nginx",
		"mkdir -p /srv/data2 && cp -u a:b c",
		"https://example.com:8080/a/b@v1.2.3",
		"postgres://user:password@localhost/app and postgres://$USER:$PASS@db",
		"const passwordField1 = 'password-input-2'",
		`t("password", "Password")`,
		"main.go:12:34:note: x",
		"next_token: " + random24 + " max_tokens=4096",
		"certificate-authority-data: " + b64("-----BEGIN CERTIFICATE-----\n"+keyBody),
		"kind: ConfigMap\ndata:\n  tls: " + b64("any bytes at all"),
		"50% of \"a\" + \"b\" and C:\\users\\x",
		`fmt.Sprintf("postgres://%s:%s@%s/x", user, pass, host)`,
		"GOOGLE_APPLICATION_CREDENTIALS=/home/bob/key-2024.json",
		"echo \"hello\" | sort",
	} {
		if got := mask(t, s); got != s {
			t.Errorf("Mask(%q) = %q", s, got)
		}
	}
}

func TestKnownValues(t *testing.T) {
	known := []string{"plain-and-simple", "short", "password", "production", "/home/bob/file", "  trimmed-value  "}
	m, err := New(nil, known...)
	if err != nil {
		t.Fatal(err)
	}
	const stub = "[secret: known-value]"
	for in, want := range map[string]string{
		"a plain-and-simple key":                       "a " + stub + " key",
		"xplain-and-simpley":                           "x" + stub + "y",
		"a " + url.QueryEscape("plain-and-simple"):     "a " + stub,
		`\u0070lain-and-simple`:                        stub,
		b64("the plain-and-simple key"):                "[secret: encoded]",
		"short password in production, /home/bob/file": "short password in production, /home/bob/file",
		"trimmed-value":                                stub,
	} {
		if got := m.Mask(in); got != want {
			t.Errorf("Mask(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	got := environment([]string{"PATH=/usr/bin:/bin", "MY_TOKEN=abcd-efgh", "DB_PASSWORD=long enough", "API_KEY=short", "SSH_AUTH_SOCK=/tmp/agent.1",
		"MAX_TOKENS=1234567890", "broken", "TOKEN_URL=https://x.example/token"})
	if want := []string{"abcd-efgh", "long enough"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The work grows with the text, whatever is repeated in it: four times the text is
// four times the bytes that are looked at.
func TestWorkIsLinear(t *testing.T) {
	m, err := New(nil, "plain-and-simple")
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range append(hostile, github, begin, begin+"\n"+keyBody+"\n", "\n"+end, keyBody+"\n"+end+"\n", "curl -u ", "password:\n  ", "\x1b[1m",
		`\u0041`, "%41", `" + "`, "cookie: a=", "<password>", "name=\"password\" value=", "kind: Secret\ndata:\n", "h:1:a:b:", "eyJhbGciOiJI",
		b64("password=a, and a long text"), "private-lines: 1\n"+keyBody+"\n", "plain-and-simple", "sk-a-", "echo a | ", "'password','", "x+/", "://a@", `"kty" d=`) {
		work := func(n int) int {
			_, w := m.find(strings.Repeat(unit, n/len(unit)))
			return w
		}
		small, large := work(1<<15), work(1<<17)
		if ratio := float64(large) / float64(small); ratio > 4.5 {
			t.Errorf("%q: %d bytes looked at for 32 KB, %d for 128 KB: %.1f times", unit, small, large, ratio)
		}
		if large > 1<<17*600 {
			t.Errorf("%q: each byte is looked at %d times", unit, large>>17)
		}
	}
}

// What runners of tests print is not a password.
func TestTestResultsAreKept(t *testing.T) {
	mask := Settings{}.Masker(nil)
	for _, text := range []string{"--- PASS: TestHTTP2Server (0.00s)", "    --- PASS: TestParse/UTF8_name (0.01s)", "--- PASS: Example2 (0.00s)", "PASS: test_login2",
		"PASS: api/TestUsers1", "pass: test_sha256_sum"} {
		if got := mask(text); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
	for _, text := range []string{"pass: hunter2xyz", "DB_PASS: hunter2xyz", "PASS=hunter2xyz"} {
		if got := mask(text); strings.Contains(got, "hunter2xyz") {
			t.Errorf("%q is not masked", text)
		}
	}
}
