package excerpt

import (
	"regexp"
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
)

// lineFinder finds lines by what they say. Few lines hold one of the words, and
// only those are matched.
type lineFinder struct {
	words func(line string) bool
	expr  func() *regexp.Regexp
}

var (
	// errorLine finds lines of tool output that tell what went wrong.
	errorLine = lineFinder{
		words: lazy.AnyOf("error", "exception", "fail", "fatal", "panic", "traceback", "undefined", "unresolved", "cannot", "can't", "could", "unable",
			"denied", "refused", "rejected", "not found", "not defined", "not exist", "no such", "invalid", "timed out", "time out", "timeout", "killed", "abort", "segmentation",
			"core dumped", "conflict", "err!", "expect(", "e   ", "not ok", "✗", "✖", "✕", "❌",
			"erro", "fehl", "rreur", "chec", "chou", "imposs", "introuvable", "nicht ", "ung", "verweigert", "falh", "fall", "no se ", "denegad", "negad", "non trov", "não ",
			"ошибк", "Ошибк", "ОШИБК", "удалось", "не найден", "отказано", "错误", "錯誤", "失败", "失敗", "无法", "找不到", "拒绝", "エラー", "見つかりません", "できません", "오류", "실패", "찾을 수 없"),
		expr: lazy.Regexp(`(?i)(?:error|exception)s?\b|\bfail(?:ed|ures?|s|ing)?\b|\bfatal\b|\bpanic(?:ked)?\b|traceback|\bundefined\b|\bunresolved\b|` +
			`\bcannot\b|\bcan't\b|\bcould(?: not|n't)\b|\bunable to\b|\bdenied\b|\brefused\b|\brejected\b|not (?:found|defined|exist)|no such|` +
			`\binvalid\b|\btimed? ?out\b|\bkilled\b|\babort(?:ed)?\b|segmentation fault|core dumped|\bconflict\b|\berr!|\bexpect\(|^\s*(?:E\s{3}|not ok\b|[✗✖✕❌])|` +
			`erreurs?\b|échec|échou|\bimpossib|introuvable|fehler|fehlgeschlagen|\b(?:kann|konnte|existiert)\b.*\bnicht\b|nicht (?:gefunden|deklariert|definiert)|ungültig|verweigert|` +
			`\berrore\b|\berros?\b|\bfallit|\bfalh(?:a|ou)|\bfall(?:ó|o|a)\b|\bno se (?:pudo|puede|encontr|encuentr|reconoc)|denegad|\bnegad?o\b|non trovat|não (?:foi|encontrad|existe)|` +
			`ошибк|не удалось|не найден|отказано|错误|錯誤|失败|失敗|无法|找不到|拒绝|エラー|見つかりません|できません|오류|실패|찾을 수 없`),
	}
	// detailLine finds lines that say no more of a failure than where it is and what
	// was compared. They count only next to a line that tells of one.
	detailLine = lineFinder{
		words: lazy.AnyOf("file \"", "goroutine ", "-->", "left", "right", "expected", "actual", "received", "got", "want", "attendu", "erwartet", "esperad", "found", "trouv", ":1", ":2", ":3", ":4", ":5", ":6", ":7", ":8", ":9",
			"(1", "(2", "(3", "(4", "(5", "(6", "(7", "(8", "(9", "- ", "+ "),
		expr: lazy.Regexp(`(?i)^\s*(?:File ".*", line \d|goroutine \d+ \[|--> |[-+] \S|(?:left|right|expected|actual|received|got|want(?:ed)?|found|attendu|obtenu|erwartet|erhalten|esperad[oa]|obtenid[oa]|trouvé)\b.{0,20}[:=])|` +
			`^\s*(?:at )?.{0,120}?[\w)\]]\.\w+[:(]\d+(?:[:,)\s]|$)|\([^() ]+:\d+(?::\d+)?\)\s*$|\bgot\b.+\bwant|\bexpected\b.+\b(?:got|actual|but|found|received)\b`),
	}
	// exitLine finds lines that tell how a command ended.
	exitLine = lineFinder{
		words: lazy.AnyOf("exit", "returncode", "signal", "code "),
		expr:  lazy.Regexp(`(?i)\bexit(?:ed|_code)?\b.{0,20}\d|<returncode>|exit status|\bsignal\b.{0,12}\d|\bcode \d`),
	}
)

// find returns where in a line the match is, or -1.
func (t lineFinder) find(line string) int {
	if !t.words(line) {
		return -1
	}
	if at := t.expr().FindStringIndex(line); at != nil {
		return at[0]
	}
	return -1
}

// teller goes through the lines of an output and finds those that tell of a failure.
// The zero value is at the beginning.
type teller struct{ near int }

// nearby is how many lines after one that tells of a failure may say details of it.
const nearby = 4

// find returns where in the next line something tells of a failure, or -1.
func (t *teller) find(line string) int {
	if at := errorLine.find(line); at >= 0 {
		t.near = nearby
		return at
	}
	if t.near == 0 || strings.TrimSpace(line) == "" {
		return -1
	}
	t.near--
	at := detailLine.find(line)
	if at >= 0 {
		t.near = nearby
	}
	return at
}
