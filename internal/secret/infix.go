package secret

import "strings"

// telegram finds the token of a bot: its number, a colon and 35 characters. s[i]
// is the colon.
func (sc *scanner) telegram(i int) int {
	const body = 35
	s := sc.s
	if !strings.HasPrefix(s[i+1:], "AA") {
		return i
	}
	start := sc.back(i, digit, 12)
	end := sc.look(i+1, base64url, body+1)
	if n := i - start; n < 8 || n > 10 || end-i-1 != body {
		return i
	}
	return sc.add(span{start, end, "telegram-token"})
}

// appSecret finds a client secret of Azure: …8Q~…. s[i] is the tilde.
func (sc *scanner) appSecret(i int) int {
	s := sc.s
	if i < 5 || s[i-1] != 'Q' || class[s[i-2]]&digit == 0 {
		return i
	}
	set := base64url | dot | tilde
	start := sc.back(i-2, set, 4)
	end := trimSentence(s, i, sc.look(i+1, set, 41))
	if n := end - i - 1; i-2-start != 3 || n < 31 || n > 40 {
		return i
	}
	return sc.add(span{start, end, "azure-secret"})
}

// appToken finds the token of an app, its number before a bar. s[i] is the bar.
func (sc *scanner) appToken(i int) int {
	start := sc.back(i, digit, 17)
	end := sc.look(i+1, base64url, 41)
	if n := i - start; n < 15 || n > 16 || end-i-1 < 27 || end-i-1 > 40 || !random(sc.s[i+1:end]) {
		return i
	}
	return sc.add(span{start, end, "facebook-token"})
}

// long looks at a long word from i to end for tokens whose form is in the middle.
func (sc *scanner) long(i, end int) int {
	s := sc.s
	switch {
	case strings.HasPrefix(s[end:], ".atlasv1."):
		if stop := sc.look(end+9, base64url|equals, 100); stop-end-9 >= 50 {
			return sc.add(span{i, stop, "terraform-token"})
		}
	case end < len(s) && s[end] == '.' && end-i >= 23 && end-i <= 28: // a bot's number in base64, a time, a signature
		time := sc.look(end+1, base64url, 8)
		if time-end-1 >= 6 && time < len(s) && s[time] == '.' && classes(s[i:end]).digits > 0 {
			if stop := sc.look(time+1, base64url, 48); stop-time-1 >= 27 && mixed(s[time+1:stop]) {
				return sc.add(span{i, stop, "discord-token"})
			}
		}
	case strings.HasPrefix(s[end:], "-us") && end-i == 32 && hexDigits(s[i:end]):
		if stop := sc.look(end+3, digit, 3); stop > end+3 {
			return sc.add(span{i, stop, "api-key"})
		}
	case strings.HasPrefix(s[end:], "_mmk") && end-i == 29 && i > 6 && s[i-1] == '_':
		return sc.add(span{sc.back(i-1, word, 6), end + 4, "api-key"})
	}
	return i
}
