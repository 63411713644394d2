package facts

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/safetext"
)

// maxConstraint is the length of a constraint in characters (docs/compaction.md).
const maxConstraint = 240

// maxConstraints bounds the constraints of one message. A message with more is
// a pasted list of rules, and only its beginning is kept.
const maxConstraints = 80

// Words that order or forbid. The lists rather find too much: a sentence kept
// in vain costs a line, a lost one costs the user's trust.
var (
	// orders are found anywhere in a sentence.
	orders = anyOf(`(?i)\b`, `\b`,
		`must(?:n['’]?t)?`, `never`, `always`, `do not`, `don['’]?t`, `dont`, `only`, `make sure`, `ensure`, `keep`, `prefer(?:ably|red)?`, `avoid`,
		`forbidden`, `prohibited`, `not allowed`, `required?`, `mandatory`, `shall`, `should(?:n['’]?t)?`, `need(?:s)? to`, `has to`, `have to`, `had better`, `ought to`,
		`instead of`, `rather than`, `without`, `at all costs`, `at most`, `at least`, `no more than`, `no longer than`, `under no circumstances`, `by no means`, `in no case`,
		`may not`, `may only`, `can only`, `unless`, `wants?`, `would like`, `'d like`, `’d like`, `be careful`, `be sure`, `stick (?:to|with)`, `leave .{1,40} (?:alone|as|untouched|unchanged)`,
		`read[- ]only`, `as is`, `as-is`, `exactly`, `strictly`, `hands off`, `off[- ]limits`, `don['’]?t touch`, `not touch`, `remember (?:to|that)`, `from now on`, `let['’]?s not`,
		`use\b.{1,80}?\bnot`, `not\b.{1,60}?\bbut`)
	// imperatives are found at the beginning of a sentence or clause.
	imperatives = anyOf(`(?i)(?:^|[,;:.(–—-] ?|\b(?:please|and|but|so|then|also|just|pls)\s+)`, `\b`,
		`not`, `use`, `stop`, `leave`, `limit`, `ask`, `wait (?:for|until|with|before)`, `follow`,
		`preserve`, `respect`, `restrict`, `refrain`, `stay`, `treat`, `write`, `remember`, `remain`, `skip`, `ignore`, `exclude`, `include only`, `be`, `call it`, `name it`,
		`put`, `target`, `assume`, `require`, `maintain`, `retain`, `respond`, `reply`, `answer`, `speak`, `check with`)
	// noneOf is a sentence that begins with what is forbidden.
	noneOf = lazy.Regexp(`(?i)^no \p{L}`)
	// european: German, French, Spanish, Portuguese.
	european = anyOf(`(?i)(?:^|[^\p{L}])`, `(?:$|[^\p{L}])`,
		`muss`, `müssen`, `musst`, `müsst`, `soll(?:en|st|te|ten)?`, `darf`, `dürfen`, `darfst`, `niemals`, `nie`, `immer`, `nur`, `ausschließlich`,
		`stell\w* sicher`, `achte\w* darauf`, `vermeide\w*`, `bevorzuge\w*`, `behalte\w*`, `verwende\w*`, `benutze\w*`, `nutze`, `bitte`, `auf keinen fall`, `anstatt`, `statt`, `ohne`,
		`verboten`, `unbedingt`, `keinesfalls`, `kein(?:e|en|er|em)?`, `nicht \p{L}+en[.!]*$`, `lass\w* .* nicht`,
		`doit`, `doivent`, `dois`, `devez`, `devrait`, `jamais`, `toujours`, `uniquement`, `seulement`, `assure[zr]?[- ](?:toi|vous)`, `veille[zr]? à`, `évite[zr]?`, `garde[zr]?`,
		`conserve[zr]?`, `préfère`, `préférez`, `utilise[zr]?`, `il faut`, `interdit\w*`, `obligatoire\w*`, `sans`, `plutôt que`, `au lieu de`,
		`n'\p{L}+ (?:pas|rien|plus)`, `n’\p{L}+ (?:pas|rien|plus)`, `ne \p{L}+ (?:pas|rien|plus)`, `ne pas`,
		`debe[ns]?`, `deberá\w*`, `deben`, `nunca`, `siempre`, `solo`, `sólo`, `solamente`, `únicamente`, `asegúr\w+`, `evita\w*`, `mantén`, `mantener`, `mantenga`, `prefiero`, `prefiere`,
		`usa`, `usar`, `utiliza\w*`, `hay que`, `tiene[ns]? que`, `prohibido`, `sin`, `en lugar de`, `en vez de`, `obligatorio`,
		`deve[m]?`, `deverá\w*`, `sempre`, `somente`, `apenas`, `só`, `certifique\w*`, `garanta`, `evite`, `mantenha`, `prefira`, `prefiro`, `use`, `tem que`, `precisa`, `proibido`, `sem`,
		`em vez de`, `não \p{L}+`)
	// spanishNo is a Spanish order not to: "no toques", "no uses".
	spanishNo = lazy.Regexp(`(?i)(?:^|[.,;:¡]\s*|por favor,? )no (?:me |lo |la |los |las |se )?\p{L}+(?:es|as|e|a|en|an|éis|áis)\b`)
	// germanNot is a German imperative with a negation: "Ändere die Datei nicht".
	germanNot = lazy.Regexp(`^(?:[A-ZÄÖÜ]\p{Ll}+e|Lass|Lösch|Fass|Gib|Nimm|Mach|Schreib)\s.*(?:nicht|nichts|keine?n?)(?:$|[^\p{L}])`)

	// ask is a question that is not an order.
	ask = lazy.Regexp(`(?i)^(?:and |but |so |ok,? |hm+,? |also,? )*(?:why|what|when|where|who|which|whose|how|is|are|was|were|do|does|did|has|have|had|will|isn['’]t|aren['’]t|doesn['’]t|don['’]t|didn['’]t|should|shouldn['’]t|shall|am|any|wo|was|wie|warum|wann|wer|ist|sind|hat|pourquoi|comment|quand|est-ce|qué|cómo|cuándo|por qué|o que|como|quando)\b`)
	// polite is a question that is an order after all.
	polite = lazy.Regexp(`(?i)\b(?:can|could|would|will|may) (?:you|we|u)\b|\bplease\b|\bmust\b|\bnever\b|\balways\b|\bmake sure\b|\bdo not\b|bitte|s'il (?:te|vous) pla|por favor`)
	// musing is a statement about what the user thinks, in which "don't"
	// forbids nothing.
	musing = lazy.Regexp(`(?i)\b(?:i|we|they|you|it) (?:really |still |also |just )?(?:do not|don['’]?t|dont) (?:\w+ )?(?:understand|know|think|see|remember|get|care|mind|believe|recall|have|seem)\b|\bi (?:can )?only (?:see|saw|get|got|found|know)\b`)
)

// anyOf is the expression of alternatives between what is before and after
// each.
func anyOf(before, after string, list ...string) func() *regexp.Regexp {
	return lazy.Regexp(before + "(?:" + strings.Join(list, "|") + ")" + after)
}

// eastern are the words of Japanese, Chinese and Korean, which put no spaces
// between words.
var eastern = []string{
	"なければならない", "なければなりません", "ないで", "ではいけない", "てはいけ", "てはなら", "しないこと", "しないように", "すること", "禁止", "必ず", "絶対", "決して",
	"常に", "だけ", "のみ", "してください", "して下さい", "ください", "ダメ", "だめ", "避け", "べき", "ではなく", "じゃなく", "使わない", "変えない", "触らない", "維持", "ようにし", "以外", "しか",
	"必须", "必須", "务必", "務必", "不要", "不能", "不得", "不可", "不准", "不许", "不許", "请勿", "請勿", "切勿", "禁止", "只能", "只用", "只要", "只需", "只改", "只有", "只修改", "仅", "僅",
	"始终", "始終", "总是", "總是", "永远", "永遠", "绝不", "絕不", "绝对", "絕對", "从不", "一定要", "一律", "确保", "確保", "保持", "保留", "避免", "优先", "優先", "应该", "應該", "应当", "應當", "尽量", "盡量", "而不是", "别", "別", "需要", "严禁", "嚴禁", "不应", "不應",
	"반드시", "절대", "항상", "하지 마", "하지마", "지 마세요", "지 말", "마십시오", "금지", "만 사용", "해야", "안 된다", "안 돼", "안됩니다", "안 됩니다", "꼭", "유지", "피하", "피해", "대신", "오직", "무조건", "오로지", "주세요", "없이",
}

// isOrder reports whether a sentence orders or forbids.
func isOrder(sentence string) bool {
	if strings.IndexFunc(sentence, unicode.IsLetter) < 0 {
		return false
	}
	s := prose.Unquoted(sentence)
	if strings.IndexFunc(s, func(r rune) bool { return r > 0x2E7F }) >= 0 {
		if slices.ContainsFunc(eastern, func(w string) bool { return strings.Contains(s, w) }) {
			return true
		}
	}
	if strings.HasSuffix(strings.TrimRight(s, ")\"'* "), "?") && (ask().MatchString(s) || !polite().MatchString(s)) {
		return false
	}
	s = musing().ReplaceAllString(s, " ")
	return slices.ContainsFunc([]func() *regexp.Regexp{orders, imperatives, noneOf, european, spanishNo, germanNot},
		func(p func() *regexp.Regexp) bool { return p().MatchString(s) })
}

// constraints returns the sentences of a user's own text that order or forbid,
// word for word. An item of a list of rules is a constraint too, after the
// list's introduction if that forbids.
func constraints(lines []prose.Line) []string {
	var out []string
	for _, l := range lines {
		if strong().MatchString(l.Text) {
			continue
		}
		parts, rule, head := prose.Split(l.Text), isRule(l), ""
		if rule {
			head = forbidding(l.Head)
		}
		if rule && utf8.RuneCountInString(l.Text) <= maxConstraint {
			parts = []string{l.Text}
		}
		for _, s := range parts {
			for _, part := range bounded(s) {
				if rule || isOrder(part) {
					out = append(out, strings.TrimSpace(head+" "+part))
				}
			}
		}
	}
	return out[:min(len(out), maxConstraints)]
}

// ruleHead matches the introduction of a list of rules.
var ruleHead = lazy.Regexp(`(?i)\b(?:rules?|never|do not|don['’]?t|avoid|always|constraints?|requirements?|conventions?|guidelines?|restrictions?|conditions|criteria|non-goals|` +
	`must|should|shall|how (?:we|i) (?:want|like|need)|(?:we|i) (?:want|need)|following behaviou?r|regeln|vorgaben|anforderungen|règles|contraintes|reglas|requisitos)\b|` +
	`ルール|制約|要件|规则|規則|要求|约束|規定|규칙|요구사항|제약`)

// isRule reports whether a line is an item of a list of rules. One letter
// is a choice, not a rule.
func isRule(l prose.Line) bool {
	return l.Item && len(strings.Trim(l.Text, "`")) > 1 && ruleHead().MatchString(l.Head)
}

// forbids matches an introduction that turns the items of a list into their
// opposite.
var forbids = lazy.Regexp(`(?i)\b(?:not|never|don['’]?t|avoid|forbidden|nicht|nie|jamais|nunca)\b`)

// forbidding returns the introduction of a list if it forbids.
func forbidding(head string) string {
	if introduces(head) && forbids().MatchString(head) && len(head) < maxConstraint/2 {
		return head
	}
	return ""
}

// introduces reports whether a line comes before a list.
func introduces(text string) bool {
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// clauseEnds are where a sentence that is too long may be split.
var clauseEnds = []string{"; ", ": ", " - ", " – ", " — ", ", but ", ", and ", ", so ", "、", "，", ", "}

// bounded splits a sentence of more than 240 characters into clauses.
func bounded(s string) []string {
	if utf8.RuneCountInString(s) <= maxConstraint {
		return []string{s}
	}
	for _, sep := range clauseEnds {
		// the last such place in the first half leaves two parts of some
		// length
		head := safetext.CutHead(s, maxConstraint)
		if i := strings.LastIndex(head, sep); i > maxConstraint/8 {
			first := s[:i+len(strings.TrimRight(sep, " "))]
			if sep[0] == ' ' || len(sep) > 3 && sep[0] == ',' {
				first = s[:i]
			}
			return append([]string{strings.TrimSpace(first)}, bounded(strings.TrimSpace(s[i+len(sep):]))...)
		}
	}
	head := safetext.CutHead(s, maxConstraint)
	if i := strings.LastIndexByte(head, ' '); i > 0 {
		head = head[:i]
	}
	rest := strings.TrimSpace(s[len(head):])
	if rest == "" || head == "" {
		return []string{s}
	}
	return append([]string{head}, bounded(rest)...)
}
