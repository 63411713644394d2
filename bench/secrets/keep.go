package main

import (
	"encoding/base64"
	"strings"
)

// harmless are texts that look like secrets and are none.
func harmless(d dice) []text {
	h := func(n int) string { return d.of(hexes, n) }
	certificate := base64.StdEncoding.EncodeToString([]byte("-----BEGIN CERTIFICATE-----\n" + d.of(alnums, 64) + "\n-----END CERTIFICATE-----"))
	list := []string{
		"index " + h(7) + ".." + h(7) + " 100644", "commit " + h(40), "sha256:" + h(64), "FROM node@sha256:" + h(64), `checksum = "` + h(64) + `"`,
		`"integrity": "sha512-` + d.of(alnums+"+/", 86) + `=="`, "--hash=sha256:" + h(64), "ETag: \"" + h(32) + "\"", "traceparent: 00-" + h(32) + "-" + h(16) + "-01",
		"request id " + d.uuid(), `"session_id": "` + d.uuid() + `"`, `"key": "` + d.of(alnums, 20) + `"`, "cache key: " + h(32), "md5sum: " + h(32) + "  a.iso",
		"next_token: " + d.of(alnums, 40), "max_tokens: 4096", "--token-limit 200000", "token_count=123456789", "tokenizer: cl100k_base_2024_v3",
		"password: string", "password: str = Field(min_length=8)", "password = getPassword(req)", "password: process.env.DB_PASSWORD", "password = config.db.password1",
		"const password = await hashPassword2(input)", `type="password" name="password"`, `"password": "Password"`, "password: 'Passwort1 eingeben'", `"forgotPassword": "Forgot password?"`,
		"expect(password).toBe('abc123')", "the password must have 8 characters", "token = tokens[0]", "token: var(--color-500)", "token = /^[a-z0-9]{16,32}$/",
		"PASSWORD=$PASSWORD", "api_key: ${API_KEY}", "secret: <your-secret-1>", "API_KEY=YOUR_API_KEY", "Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "Author: Basic Instinct2",
		"imagePullSecrets: regcred-prod-2", "secretName: db-credentials-v2", "arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbC123", "accessKeyId: AccessKeyIdField2Component",
		"cookie: theme=dark2; lang=en", "https://example.com/a?x=1&token_type=bearer", "https://example.com:8443/a/b@v1.2.3", "git@github.com:a/b.git", "postgres://$USER:$PASS@db/x",
		"postgres://user:password@localhost/app", "docker run -p 8080:80 -u 1000:1000 x", "mkdir -p /srv/data2", "cp -u a:b c", "curl -u $USER:$PASS https://x",
		"class task-list-item-checkbox-with-long-name", "sk-loading-spinner-container-large", "import a.b.SecretKeyFactoryProvider2", "type Token struct { Kind int }",
		"main.go:12:34: undefined: password2", "GOOGLE_APPLICATION_CREDENTIALS=/srv/key-2024.json", "TOKEN_URL=https://id.example/oauth2/token", "passwordHash: " + h(32),
		"certificate-authority-data: " + certificate, "kind: ConfigMap\ndata:\n  a: " + base64.StdEncoding.EncodeToString([]byte("hello, world, again")),
		"data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n"+d.of(alnums, 90))), "-----BEGIN PUBLIC KEY-----\n" + d.of(alnums, 64),
		"look for -----BEGIN RSA PRIVATE KEY----- in files", "50% of %20 files", `x = "a" + "b"`, "\x1b[32mok\x1b[0m 12 tests", "primary_key: id2", "public_key: " + d.of(alnums, 12),
		strings.Repeat("lorem ipsum ", 4), "echo hello | sort -u", "password is required, token was rejected", "the secret is to start early",
	}
	var out []text
	for _, t := range list {
		out = append(out, text{group: "to keep", text: t})
	}
	return out
}
