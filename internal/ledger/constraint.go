package ledger

import (
	"strings"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/lazy"
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
	orders = pattern{before: `(?i)\b`, after: `\b`, list: []string{
		`must(?:n['’]?t)?`, `never`, `always`, `do not`, `don['’]?t`, `dont`, `only`, `make sure`, `ensure`, `keep`, `prefer(?:ably|red)?`, `avoid`,
		`forbidden`, `prohibited`, `not allowed`, `required?`, `mandatory`, `shall`, `should(?:n['’]?t)?`, `need(?:s)? to`, `has to`, `have to`, `had better`, `ought to`,
		`instead of`, `rather than`, `without`, `at all costs`, `at most`, `at least`, `no more than`, `no longer than`, `under no circumstances`, `by no means`, `in no case`,
		`may not`, `may only`, `can only`, `unless`, `wants?`, `would like`, `'d like`, `’d like`, `be careful`, `be sure`, `stick (?:to|with)`, `leave .{1,40} (?:alone|as|untouched|unchanged)`,
		`read[- ]only`, `as is`, `as-is`, `exactly`, `strictly`, `hands off`, `off[- ]limits`, `don['’]?t touch`, `not touch`, `remember (?:to|that)`, `from now on`, `let['’]?s not`,
		`use\b.{1,80}?\bnot`, `not\b.{1,60}?\bbut`}}
	// imperatives are found at the beginning of a sentence or clause.
	imperatives = pattern{before: `(?i)(?:^|[,;:.(–—-] ?|\b(?:please|and|but|so|then|also|just|pls)\s+)`, after: `\b`, list: []string{
		`not`, `use`, `stop`, `leave`, `limit`, `ask`, `wait (?:for|until|with|before)`, `follow`,
		`preserve`, `respect`, `restrict`, `refrain`, `stay`, `treat`, `write`, `remember`, `remain`, `skip`, `ignore`, `exclude`, `include only`, `be`, `call it`, `name it`,
		`put`, `target`, `assume`, `require`, `maintain`, `retain`, `respond`, `reply`, `answer`, `speak`, `check with`}}
	// noneOf is a sentence that begins with what is forbidden.
	noneOf = pattern{expr: `(?i)^no \p{L}`, words: []string{" no "}}
	// european: German, French, Spanish, Portuguese.
	european = pattern{before: `(?i)(?:^|[^\p{L}])`, after: `(?:$|[^\p{L}])`, list: []string{
		`muss`, `müssen`, `musst`, `müsst`, `soll(?:en|st|te|ten)?`, `darf`, `dürfen`, `darfst`, `niemals`, `nie`, `immer`, `nur`, `ausschließlich`,
		`stell\w* sicher`, `achte\w* darauf`, `vermeide\w*`, `bevorzuge\w*`, `behalte\w*`, `verwende\w*`, `benutze\w*`, `nutze`, `bitte`, `auf keinen fall`, `anstatt`, `statt`, `ohne`,
		`verboten`, `unbedingt`, `keinesfalls`, `kein(?:e|en|er|em)?`, `nicht \p{L}+en[.!]*$`, `lass\w* .* nicht`,
		`doit`, `doivent`, `dois`, `devez`, `devrait`, `jamais`, `toujours`, `uniquement`, `seulement`, `assure[zr]?[- ](?:toi|vous)`, `veille[zr]? à`, `évite[zr]?`, `garde[zr]?`,
		`conserve[zr]?`, `préfère`, `préférez`, `utilise[zr]?`, `il faut`, `interdit\w*`, `obligatoire\w*`, `sans`, `plutôt que`, `au lieu de`,
		`n'\p{L}+ (?:pas|rien|plus)`, `n’\p{L}+ (?:pas|rien|plus)`, `ne \p{L}+ (?:pas|rien|plus)`, `ne pas`,
		`debe[ns]?`, `deberá\w*`, `deben`, `nunca`, `siempre`, `solo`, `sólo`, `solamente`, `únicamente`, `asegúr\w+`, `evita\w*`, `mantén`, `mantener`, `mantenga`, `prefiero`, `prefiere`,
		`usa`, `usar`, `utiliza\w*`, `hay que`, `tiene[ns]? que`, `prohibido`, `sin`, `en lugar de`, `en vez de`, `obligatorio`,
		`deve[m]?`, `deverá\w*`, `sempre`, `somente`, `apenas`, `só`, `certifique\w*`, `garanta`, `evite`, `mantenha`, `prefira`, `prefiro`, `use`, `tem que`, `precisa`, `proibido`, `sem`,
		`em vez de`, `não \p{L}+`}}
	// spanishNo is a Spanish order not to: "no toques", "no uses".
	spanishNo = pattern{expr: `(?i)(?:^|[.,;:¡]\s*|por favor,? )no (?:me |lo |la |los |las |se )?\p{L}+(?:es|as|e|a|en|an|éis|áis)\b`, words: []string{" no "}}
	// germanNot is a German imperative with a negation: "Ändere die Datei nicht".
	germanNot = pattern{expr: `^(?:[A-ZÄÖÜ]\p{Ll}+e|Lass|Lösch|Fass|Gib|Nimm|Mach|Schreib)\s.*(?:nicht|nichts|keine?n?)(?:$|[^\p{L}])`, literals: []string{"nicht", "kein"}}

	// ask is a question that is not an order.
	ask = lazy.Regexp(`(?i)^(?:and |but |so |ok,? |hm+,? |also,? )*(?:why|what|when|where|who|which|whose|how|is|are|was|were|do|does|did|has|have|had|will|isn['’]t|aren['’]t|doesn['’]t|don['’]t|didn['’]t|should|shouldn['’]t|shall|am|any|wo|was|wie|warum|wann|wer|ist|sind|hat|pourquoi|comment|quand|est-ce|qué|cómo|cuándo|por qué|o que|como|quando)\b`)
	// polite is a question that is an order after all.
	polite = pattern{expr: `(?i)\b(?:can|could|would|will|may) (?:you|we|u)\b|\bplease\b|\bmust\b|\bnever\b|\balways\b|\bmake sure\b|\bdo not\b|bitte|s'il (?:te|vous) pla|por favor`,
		words: []string{" can ", " could ", " would ", " will ", " may ", " please ", " must ", " never ", " always ", " make sure ", " do not ", "bitte", "s il ", "por favor"}}
	// musing is a statement about what the user thinks, in which "don't"
	// forbids nothing.
	musing = pattern{expr: `(?i)\b(?:i|we|they|you|it) (?:really |still |also |just )?(?:do not|don['’]?t|dont) (?:\w+ )?(?:understand|know|think|see|remember|get|care|mind|believe|recall|have|seem)\b|\bi (?:can )?only (?:see|saw|get|got|found|know)\b`,
		words: []string{" do not ", " don t ", " dont ", " i only ", " i can only "}}
)

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
	if strings.IndexFunc(sentence, isLetter) < 0 {
		return false
	}
	s := unquoted(sentence)
	if strings.IndexFunc(s, func(r rune) bool { return r > 0x2E7F }) >= 0 {
		for _, w := range eastern {
			if strings.Contains(s, w) {
				return true
			}
		}
	}
	text := plain(s)
	if strings.HasSuffix(strings.TrimRight(s, ")\"'* "), "?") && (ask().MatchString(s) || !polite.matchPlain(s, text)) {
		return false
	}
	if rest := musing.removePlain(s, text); rest != s {
		s, text = rest, plain(rest)
	}
	for _, p := range []*pattern{&orders, &imperatives, &noneOf, &european, &spanishNo, &germanNot} {
		if p.matchPlain(s, text) {
			return true
		}
	}
	return false
}

// constraints returns the sentences of a user's own text that order or forbid,
// word for word. An item of a list of rules is a constraint too, after the
// list's introduction if that forbids.
func constraints(lines []line) []string {
	var out []string
	for _, l := range lines {
		parts := sentences(l.text)
		if l.rule && utf8.RuneCountInString(l.text) <= maxConstraint {
			parts = []string{l.text}
		}
		for _, s := range parts {
			for _, part := range bounded(s) {
				if len(out) < maxConstraints && (l.rule || isOrder(part)) {
					out = append(out, strings.TrimSpace(l.not+" "+part))
				}
			}
		}
	}
	return out
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
