package secret

import (
	"strings"
	"sync"
)

// secretFlag is a flag of a command whose value is a secret.
type secretFlag struct {
	flag     string
	joined   bool   // the value follows the flag without a blank
	apart    bool   // the value is the next word
	after    string // the secret is what follows this in the value; "": all of it
	optional bool   // a value without after is all secret
	needs    string // a word before the flag; "": none
}

// commands are programs with secrets in short flags. A long flag speaks for itself.
var commands = sync.OnceValue(func() map[string][]secretFlag {
	user := []secretFlag{{flag: "-u", apart: true, joined: true, after: ":"}, {flag: "--user", apart: true, after: ":"}, {flag: "--proxy-user", apart: true, after: ":"}, {flag: "-U", apart: true, after: ":"}}
	mysql := []secretFlag{{flag: "-p", joined: true}}
	logIn := []secretFlag{{flag: "-p", apart: true, joined: true, needs: "login"}}
	upper := []secretFlag{{flag: "-P", apart: true, joined: true}}
	ldap := []secretFlag{{flag: "-w", apart: true, joined: true}}
	lowP := []secretFlag{{flag: "-p", apart: true}}
	both := []secretFlag{{flag: "-p", apart: true, joined: true}}
	openssl := []secretFlag{}
	for _, f := range []string{"-pass", "-passin", "-passout"} {
		openssl = append(openssl, secretFlag{flag: f, apart: true, after: "pass:"})
	}
	openssl = append(openssl, secretFlag{flag: "-k", apart: true}, secretFlag{flag: "-K", apart: true})
	smb := []secretFlag{{flag: "-U", apart: true, after: "%"}, {flag: "--user", apart: true, after: "%"}}
	httpie := []secretFlag{{flag: "-a", apart: true, after: ":", optional: true}, {flag: "--auth", apart: true, after: ":", optional: true}}
	return map[string][]secretFlag{
		"curl": user, "wget": user, "mysql": mysql, "mysqldump": mysql, "mysqladmin": mysql, "mysqlimport": mysql, "mysqlshow": mysql, "mariadb": mysql,
		"mariadb-dump": mysql, "sshpass": both, "docker": logIn, "podman": logIn, "helm": logIn, "oras": logIn, "nerdctl": logIn, "skopeo": logIn, "buildah": logIn,
		"crane": logIn, "az": logIn, "oc": logIn, "argocd": logIn, "cf": logIn, "redis-cli": {{flag: "-a", apart: true}}, "mongo": lowP, "mongosh": lowP,
		"mongodump": lowP, "mongorestore": lowP, "mongoexport": lowP, "mongoimport": lowP, "sqlcmd": upper, "bcp": upper, "isql": upper, "tsql": upper,
		"ldapsearch": ldap, "ldapadd": ldap, "ldapmodify": ldap, "ldapwhoami": ldap, "ldappasswd": append(ldap, secretFlag{flag: "-s", apart: true}),
		"smbclient": smb, "rpcclient": smb, "http": httpie, "https": httpie, "xh": httpie, "openssl": openssl, "zip": upper, "unzip": upper,
		"7z": mysql, "7za": mysql, "rar": {{flag: "-hp", joined: true}, {flag: "-p", joined: true}}, "keytool": {{flag: "-storepass", apart: true}, {flag: "-keypass", apart: true}},
		"jarsigner": {{flag: "-storepass", apart: true}, {flag: "-keypass", apart: true}}, "mosquitto_pub": upper, "mosquitto_sub": upper,
		"ssh-keygen": {{flag: "-N", apart: true}, {flag: "-P", apart: true}}, "security": {{flag: "-w", apart: true}, {flag: "-p", apart: true, needs: "unlock-keychain"}},
		"wpa_passphrase": nil, "htpasswd": nil, "net": nil, "rabbitmqctl": nil, "snmpwalk": {{flag: "-A", apart: true}, {flag: "-X", apart: true}}, "ipmitool": upper,
		"xfreerdp": {{flag: "/p:", joined: true}}, "rdesktop": lowP, "influx": lowP, "cqlsh": lowP,
		"aws": nil, "echo": nil,
	}
})

// command finds the secrets of a command line. s[i:] begins with its name.
func (sc *scanner) command(i int) int {
	s := sc.s
	if i > 0 && class[s[i-1]]&(nameChars|dot|at) != 0 {
		return i
	}
	end := sc.look(i, nameChars, 32)
	flags, ok := commands()[s[i:end]]
	if !ok || end >= len(s) || s[end] != ' ' && s[end] != '\t' {
		return i
	}
	line := sc.commandLine(end)
	switch s[i:end] {
	case "echo":
		return max(i, sc.echoed(end, line))
	case "htpasswd", "net", "rabbitmqctl", "wpa_passphrase", "aws":
		return max(i, sc.positional(s[i:end], end, line))
	}
	found := i
	for p := end; p < line; {
		p = sc.look(p, blank, near)
		stop := min(line, wordEnd(s, p, line))
		for _, f := range flags {
			if sp := sc.flagValue(f, p, stop, line, s[end:p]); sp.end > 0 {
				found = sc.add(sp)
				stop = max(stop, min(line, sp.end))
				break
			}
		}
		p = max(stop, p+1)
	}
	return found
}

// commandLine returns where a command ends: at the end of its line, or at a
// character that begins the next one.
func (sc *scanner) commandLine(p int) int {
	const most = 2 * near
	s := sc.s
	from := p
	for ; p < len(s) && p-from < most; p++ {
		switch c := s[p]; {
		case c == '\n' && s[p-1] != '\\', c == '|', c == ';', c == '&' && strings.HasPrefix(s[p:], "&&"):
			sc.work += p - from
			return p
		}
	}
	sc.work += p - from
	return p
}

// wordEnd returns the end of the shell word at p.
func wordEnd(s string, p, line int) int {
	var quote byte
	for ; p < line; p++ {
		switch c := s[p]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ' ' || c == '\t' || c == '\n':
			return p
		}
	}
	return p
}

// flagValue returns the secret of a flag whose word is s[p:end].
func (sc *scanner) flagValue(f secretFlag, p, end, line int, before string) span {
	s := sc.s
	if !strings.HasPrefix(s[p:end], f.flag) || f.needs != "" && !strings.Contains(before, f.needs) {
		return span{}
	}
	start := p + len(f.flag)
	switch {
	case start == end && f.apart:
		start = sc.look(end, blank, 8)
		end = wordEnd(s, start, line)
	case start == end || !f.joined:
		return span{}
	}
	start, end = unquoted(s, start, end)
	v := s[start:end]
	if f.after != "" {
		i := strings.Index(v, f.after)
		if i < 0 && !f.optional {
			return span{}
		}
		if i >= 0 {
			start, end = unquoted(s, start+i+len(f.after), end)
			v = s[start:end]
		}
	}
	if len(v) < 3 || placeholder(v) || v[0] == '-' || strings.HasPrefix(v, "file:") {
		return span{}
	}
	return span{start, end, "password"}
}

// unquoted takes the quotes off a shell word.
func unquoted(s string, start, end int) (int, int) {
	for start < end && strings.IndexByte("\\\"'", s[start]) >= 0 {
		start++
	}
	for end > start && strings.IndexByte("\\\"'`)", s[end-1]) >= 0 {
		end--
	}
	return start, end
}

// positional finds secrets that are told apart by where they are alone.
func (sc *scanner) positional(program string, p, line int) int {
	s := sc.s
	var args [8]span
	n, all := 0, s[p:line]
	for p < line && n < len(args) {
		p = sc.look(p, blank, near)
		if end := wordEnd(s, p, line); end > p {
			if s[p] != '-' {
				args[n] = span{start: p, end: end, kind: "password"}
				n++
			}
			p = end
		}
		p++
	}
	text := func(i int) string { return s[args[i].start:args[i].end] }
	pick := -1
	switch {
	case program == "htpasswd" && strings.Contains(all, " -b") && n >= 3, program == "rabbitmqctl" && n >= 3 && (text(0) == "add_user" || text(0) == "change_password"),
		program == "net" && n >= 3 && text(0) == "user":
		pick = 2
	case program == "wpa_passphrase" && n >= 2:
		pick = 1
	case program == "aws" && n >= 4 && text(0) == "configure" && nameOf(text(2)).kind != noSecret:
		pick = 3
	}
	if pick < 0 {
		return 0
	}
	a, b := unquoted(s, args[pick].start, args[pick].end)
	if b-a < 3 || placeholder(s[a:b]) || s[a] == '/' {
		return 0
	}
	return sc.add(span{a, b, "password"})
}

// readers read a password from standard input.
var readers = []string{"--password-stdin", "passwd --stdin", "chpasswd", "sudo -S", "--with-token", "--stdin", "cryptsetup", "--pinentry-mode"}

// echoed finds the secret that echo writes to a program that reads one. The bar is
// at line.
func (sc *scanner) echoed(p, line int) int {
	s := sc.s
	if line >= len(s) || s[line] != '|' {
		return 0
	}
	next := s[line+1 : min(len(s), line+1+near)]
	if n := strings.IndexAny(next, "\n|;"); n >= 0 {
		next = next[:n]
	}
	sc.work += len(next)
	for _, r := range readers {
		if !strings.Contains(next, r) {
			continue
		}
		p = sc.look(p, blank, 8)
		if strings.HasPrefix(s[p:line], "-n ") {
			p += 3
		}
		start, end := unquoted(s, p, wordEnd(s, p, line))
		if i := strings.IndexByte(s[start:end], ':'); i >= 0 && r == "chpasswd" {
			start += i + 1
		}
		if v := s[start:end]; len(v) >= 3 && !placeholder(v) {
			return sc.add(span{start, end, "password"})
		}
	}
	return 0
}

// flag finds the value of --password … on a command line. s[i] is a dash.
func (sc *scanner) flag(i int) int {
	s := sc.s
	if i > 0 && class[s[i-1]]&nameChars != 0 {
		return i + 1
	}
	start := sc.look(i, dash, 3)
	end := sc.look(start, nameChars, maxName)
	if start-i > 2 || end == start || end >= len(s) || s[end] != ' ' {
		return start
	}
	n := nameOf(s[start:end])
	if n.kind == noSecret || n.kind == login || start-i == 1 && end-start < 5 {
		return start
	}
	p := sc.look(end, blank, 8)
	if p >= len(s) || s[p] == '-' {
		return end
	}
	quoted := s[p] == '\'' || s[p] == '"'
	sp, _ := sc.value(p, field{name: n, env: quoted})
	if sp.end == 0 {
		return end
	}
	return sc.add(sp)
}
