package main

import (
	"encoding/base64"
	"math/rand/v2"
	"net/url"
	"strings"
)

// text is one text of the set. Secret is what may not be left of it; empty where
// nothing may be masked.
type text struct{ group, text, secret string }

// dice draws the bodies of secrets. No text of the set is a key of anyone.
type dice struct{ *rand.Rand }

const (
	lows   = "abcdefghijklmnopqrstuvwxyz"
	caps   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	hexes  = digits + "abcdef"
	alnums = lows + caps + digits
	urls   = alnums + "-_"
)

func (d dice) of(alphabet string, n int) string {
	var s strings.Builder
	for range n {
		s.WriteByte(alphabet[d.IntN(len(alphabet))])
	}
	return s.String()
}

func (d dice) uuid() string {
	h := d.of(hexes, 32)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// pick is one of a list.
func (d dice) pick(list ...string) string { return list[d.IntN(len(list))] }

// word is what a person may choose as a password.
func (d dice) word() string {
	return d.pick("Sunshine", "dragonfly", "Winter", "monkey", "Trustno", "letmein", "qwerty") + d.of(digits, 3) + d.pick("", "!", "#")
}

// format is a token: how it begins, and what follows.
type format struct {
	prefix, alphabet string
	n                int
}

// formats are joined from parts, so that no file of the repository reads like a key.
var formats = []format{
	{"AK" + "IA", caps + "234567", 16}, {"AS" + "IA", caps + "234567", 16}, {"AI" + "za", urls, 35}, {"GOC" + "SPX-", urls, 28}, {"ya2" + "9.", urls, 60},
	{"gh" + "p_", alnums, 36}, {"gh" + "o_", alnums, 36}, {"gh" + "s_", alnums, 36}, {"git" + "hub_pat_", alnums, 82}, {"gl" + "pat-", urls, 20},
	{"gl" + "dt-", urls, 20}, {"gl" + "rt-", urls, 20}, {"gl" + "soat-", urls, 20}, {"np" + "m_", alnums, 36}, {"py" + "pi-AgEIcHlwaS5vcmc", urls, 70},
	{"ruby" + "gems_", hexes, 48}, {"dck" + "r_pat_", urls, 27}, {"sk-" + "ant-api03-", urls, 93}, {"sk-" + "proj-", urls, 80}, {"h" + "f_", alnums, 34},
	{"gs" + "k_", alnums, 52}, {"xa" + "i-", alnums, 80}, {"pp" + "lx-", alnums, 48}, {"r" + "8_", alnums, 37}, {"nv" + "api-", urls, 64},
	{"sk_" + "live_", alnums, 24}, {"rk_" + "live_", alnums, 24}, {"wh" + "sec_", alnums, 32}, {"sq0" + "atp-", urls, 22}, {"xo" + "xb-", digits, 40},
	{"xa" + "pp-1-", caps + digits, 40}, {"S" + "G.", urls, 66}, {"xkey" + "sib-", hexes, 64}, {"ke" + "y-", hexes, 32}, {"S" + "K", hexes, 32},
	{"sh" + "pat_", hexes, 32}, {"sh" + "pss_", hexes, 32}, {"EZ" + "AK", alnums, 54}, {"hv" + "s.", urls, 95}, {"pu" + "l-", hexes, 40},
	{"dp." + "pt.", alnums, 43}, {"lin_" + "api_", alnums, 40}, {"nt" + "n_", alnums, 46}, {"fi" + "gd_", urls, 40}, {"PM" + "AK-", hexes, 59},
	{"NR" + "AK-", caps + digits, 27}, {"dt0" + "c01.", caps + digits, 88}, {"gl" + "c_", alnums, 60}, {"sntr" + "yu_", hexes, 64}, {"tf" + "p_", urls, 59},
	{"rd" + "me_", lows + digits, 70}, {"pscale_" + "pw_", urls, 43}, {"sb" + "p_", hexes, 40}, {"ts" + "key-auth-", alnums, 30}, {"da" + "pi", hexes, 32},
	{"do" + "p_v1_", hexes, 64}, {"fo" + "1_", urls, 43}, {"LT" + "AI", alnums, 20}, {"ATA" + "TT3xFfGF0", urls, 180}, {"AGE-SECRET-" + "KEY-1", caps + digits, 58},
	{"sha" + "256~", urls, 43}, {"API" + "-", caps + digits, 26}, {"shippo_" + "live_", hexes, 40}, {"phx" + "_", alnums, 43},
}

// set draws the texts of a seed.
func set(seed uint64) []text {
	d := dice{rand.New(rand.NewPCG(seed, 1))}
	var out []text
	add := func(group, before, secret, after string) {
		out = append(out, text{group, before + secret + after, secret})
	}
	for i, f := range formats {
		around := []string{"the key is %, keep it", "TOKEN=%", `{"value": "%"}`, "curl -H 'X-Key: %' https://h.example", "export X='%'"}[i%5]
		before, after, _ := strings.Cut(around, "%")
		add("token formats", before, f.prefix+d.of(f.alphabet, f.n), after)
	}
	named(d, add)
	disguised(d, add)
	keys(d, add)
	places(d, add)
	commands(d, add)
	return append(out, harmless(d)...)
}

type adder func(group, before, secret, after string)

func named(d dice, add adder) {
	const g = "named values"
	add(g, "DB_PASSWORD=", d.word(), "\n")
	add(g, "POSTGRES_PASSWORD=", d.of(lows, 6)+"-"+d.of(lows, 5)+"-"+d.of(lows, 7)+"-"+d.of(lows, 5), "")
	add(g, `ADMIN_PASSWORD="`, d.word()+" "+d.word(), `"`)
	for _, n := range []string{"DATADOG_API_KEY", "MAILGUN_SIGNING_KEY", "APP_SECRET", "ALGOLIA_ADMIN_KEY", "CODECOV_TOKEN"} {
		add(g, n+"=", d.of(hexes, 32), "")
	}
	for _, n := range []string{"SNYK_TOKEN_KEY", "HUBSPOT_API_KEY", "SENDBIRD_API_TOKEN", "NPM_AUTH_TOKEN"} {
		add(g, n+"=", d.uuid(), "")
	}
	for _, n := range []string{"TRAVIS_TOKEN", "NETLIFY_AUTH_TOKEN", "ZENDESK_SECRET_KEY", "OKTA_API_TOKEN", "STRIPE_KEY", "WEBHOOK_SECRET", "SECRET_KEY_BASE", "JWT_SECRET"} {
		add(g, n+"=", d.of(alnums, 40), "")
	}
	add(g, "aws_secret_access_key = ", d.of(alnums+"/+", 40), "\n")
	add(g, `"clientSecret": "`, d.of(urls, 34), `"`)
	add(g, `apiKey: '`, d.of(alnums, 32), `',`)
	add(g, `token := "`, d.of(alnums, 30), `"`)
	add(g, `os.environ["API_TOKEN"] = "`, d.of(alnums, 30), `"`)
	add(g, `const dbPassword: string = "`, d.word(), `"`)
	add(g, ":password => '", d.word(), "'")
	add(g, `connect(user="x", password="`, d.word(), `")`)
	add(g, "Server=db;User Id=sa;Password=", d.of(alnums, 14), ";")
	add(g, "spring.datasource.password=", d.word(), "\n")
	add(g, "AccountName=x;AccountKey=", base64.StdEncoding.EncodeToString([]byte(d.of(alnums, 64))), ";EndpointSuffix=core")
	add(g, "PrivateKey = ", base64.StdEncoding.EncodeToString([]byte(d.of(alnums, 32))), "\n")
	add(g, "the root password is ", d.word(), ", please use it")
	add(g, "Das Passwort lautet ", d.word(), ".")
	add(g, "CREATE USER bob IDENTIFIED BY '", d.word(), "';")
	add(g, "ALTER ROLE bob WITH PASSWORD '", d.word(), "';")
}

func disguised(d dice, add adder) {
	const g = "disguised"
	token := func() string { return "gh" + "p_" + d.of(alnums, 36) }
	for _, around := range []string{"\x1b[32m%\x1b[0m", "\x1b[1;38;5;9m%\x1b[m", `\u001b[31m%\u001b[0m`, "?t%3D%%26x", "12:%", "src/a.env-3-%", "  4→%", "a\\n%\\nb"} {
		i := strings.LastIndex(strings.TrimSuffix(around, "%26x"), "%")
		add(g, around[:i], token(), around[i+1:])
	}
	part := func(s, joint string) string { return s[:14] + joint + s[14:] }
	add(g, `"`, strings.Replace(token(), "_", `\u005f`, 1), `"`)
	add(g, `"`, strings.Replace(token(), "g", `\x67`, 1), `"`)
	add(g, `x = "`, part(token(), `" + "`), `"`)
	add(g, `x = '`, part(token(), `' . '`), `'`)
	add(g, `x = "`, part(token(), "\" +\n  \""), `"`)
	add(g, "", part(token(), "\u200b"), "")
	add(g, "", part(token(), "\u2060"), "")
	add(g, "password=", url.QueryEscape(d.of(alnums, 8)+"/"+d.of(alnums, 8)), "&x")
	for _, inner := range []string{"token=" + d.of(alnums, 30), token(), "DB_PASSWORD=" + d.word() + "\nX=1", "postgres://bob:" + d.word() + "@db/x", `{"password":"` + d.word() + `"}`} {
		add(g, "echo ", base64.StdEncoding.EncodeToString([]byte(inner)), " | base64 -d")
	}
	add(g, `token = "`, part(d.of(alnums, 30), "\\\n"), `"`)
}

// keys are private keys as tools print them; one line of the body may not be left.
func keys(d dice, add adder) {
	const g = "private keys"
	label := d.pick("RSA ", "EC ", "") + "PRIVATE " + "KEY-----"
	begin, end := "-----BEGIN "+label, "-----END "+label
	body := func() string { return d.of(alnums+"+/", 64) }
	for _, p := range []string{"", "  ", "> ", "+", "# ", "  | "} {
		add(g, p+begin+"\n"+p, body(), "\n"+p+body()+"\n"+p+end)
	}
	for _, n := range []string{"%d→", "     %d\t", "%d:", "%d-", "k.pem:%d:", "k.pem-%d-", "%d | "} {
		at := func(i string) string { return strings.Replace(n, "%d", i, 1) }
		add(g, at("1")+begin+"\n"+at("2"), body(), "\n"+at("3")+body()+"\n"+at("4")+end)
	}
	add(g, "...\n", body(), "\n"+body()+"\n"+end)
	add(g, `{"private_key":"`+begin+`\n`, body(), `\n`+body()+`\n`+end+`\n"}`)
	add(g, `k = "`+begin+"\\n\" +\n\"", body(), "\\n\" +\n\""+end+`"`)
	add(g, begin+"\n", body(), "\n"+body()+"\n... [cut]")
	add(g, "client-key-data: ", base64.StdEncoding.EncodeToString([]byte(begin+"\n"+body()+"\n"+end)), "\n")
	add(g, "Private-Lines: 1\n", body(), "\nPrivate-MAC: 1")
}

func places(d dice, add adder) {
	const g = "places"
	add(g, "postgres://bob:", d.word(), "@db.internal:5432/app")
	add(g, "redis://:", d.of(alnums, 4)+"/"+d.of(alnums, 8), "@cache:6379/0")
	add(g, "mongodb+srv://bob:", d.of(alnums, 5)+"("+d.of(alnums, 5), "@c.example/x?w=1")
	add(g, "amqp://bob:", d.of(alnums, 4)+"@"+d.of(alnums, 6), "@mq:5672/")
	add(g, "git clone https://", d.of(hexes, 40), "@git.example/x.git")
	add(g, "https://a.blob.example/c?sv=1&sig=", d.of(alnums, 43)+"%3D", "&x=1")
	add(g, "https://b.s3.example/x?X-Amz-Signature=", d.of(hexes, 64), "")
	add(g, "https://hooks."+"slack.com/services/", "T"+d.of(caps, 8)+"/B"+d.of(caps, 8)+"/"+d.of(alnums, 24), "")
	add(g, "https://discord."+"com/api/webhooks/", d.of(digits, 18)+"/"+d.of(urls, 68), "")
	add(g, "https://api."+"telegram.org/bot", d.of(digits, 9)+":AA"+d.of(urls, 33), "/getMe")
	add(g, "https://x.webhook."+"office.com/webhookb2/", d.uuid()+"@"+d.uuid()+"/IncomingWebhook/"+d.of(hexes, 32)+"/"+d.uuid(), "")
	add(g, "https://open."+"feishu.cn/open-apis/bot/v2/hook/", d.uuid(), "")
	add(g, "https://chat."+"googleapis.com/v1/spaces/AAA/messages?", "key="+d.of(alnums, 39)+"&token="+d.of(urls, 43), "")
	add(g, "Authorization: Bearer ", d.of(alnums, 40), "\n")
	add(g, "Authorization: token ", d.of(hexes, 40), "\n")
	add(g, "authorization: ", d.of(alnums, 40), "\n")
	add(g, "Authorization: Basic ", base64.StdEncoding.EncodeToString([]byte("bob:"+d.word())), "\n")
	add(g, "Cookie: theme=dark; sid=", d.of(alnums, 40), "; lang=en")
	add(g, "Set-Cookie: session=", d.of(alnums, 48), "; Path=/")
	add(g, "password:\n  ", d.of(alnums, 20), "\nuser: x")
	add(g, "token: |\n  ", d.of(alnums, 40), "\nuser: x")
	add(g, "<password>", d.word(), "</password>")
	add(g, `<add key="ApiKey" value="`, d.of(alnums, 32), `"/>`)
	add(g, `<property name="password" value="`, d.word(), `"/>`)
	add(g, `{"name":"DB_PASSWORD","value":"`, d.word(), `"}`)
	add(g, "- name: API_TOKEN\n  value: ", d.of(alnums, 32), "\n")
	add(g, "define('AUTH_KEY', '", d.of(alnums, 40), "');")
	add(g, "define( \"DB_PASSWORD\", \"", d.word(), "\" );")
	add(g, `{"auths":{"r.example":{"auth":"`, base64.StdEncoding.EncodeToString([]byte("bob:"+d.word())), `"}}}`)
	add(g, "kind: Secret\ndata:\n  a: ", base64.StdEncoding.EncodeToString([]byte(d.of(alnums, 20))), "\n")
	add(g, "//r.example/:_authToken=", d.uuid(), "\n")
	add(g, "machine h login bob password ", d.word(), "\n")
	add(g, "machine h\n\tlogin bob\n\tpassword ", d.of(lows, 10), "\n")
	add(g, "db.internal:5432:app:bob:", d.word(), "\n")
	add(g, "eyJhbGciOiJIUzI1NiJ9.", "eyJ"+d.of(alnums, 40)+"."+d.of(urls, 43), "")
	add(g, "otpauth://totp/x?secret=", d.of(caps+"234567", 32), "")
}

func commands(d dice, add adder) {
	const g = "command lines"
	for _, c := range []string{"curl -u bob:% https://x", "curl --user 'bob:%' https://x", "mysql -h db -u root -p% app", "mysqldump --password=% app", "sshpass -p % ssh h",
		"sshpass -p '%' scp a h:", "docker login -u bob -p % r.example", "echo % | docker login -u bob --password-stdin", "podman login -u bob -p '%' r", "redis-cli -a % ping",
		"mongosh -u bob -p % db", "ldapsearch -x -D cn=x -w % -b dc=x", "smbclient //h/s -U bob%", "http -a bob:% https://x", "openssl enc -aes-256-cbc -pass pass:% -in x",
		"zip -P % a.zip b", "keytool -list -storepass % -keystore k", "htpasswd -b f bob %", "echo 'root:%' | chpasswd", "echo % | sudo -S ls",
		"PGPASSWORD=% psql -h db", "wget --http-password=% https://x", "tool --api-key % run", "tool --password '%'", "rabbitmqctl add_user bob %"} {
		before, after, _ := strings.Cut(c, "%")
		secret := d.word()
		switch {
		case strings.Contains(c, "smbclient"):
			before += "%"
		case strings.Contains(c, "api-key"):
			secret = d.of(alnums, 32)
		}
		add(g, before, strings.TrimRight(secret, "#!"), after)
	}
}
