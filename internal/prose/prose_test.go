package prose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDetect(t *testing.T) {
	for text, want := range map[string]Lang{
		"Do not change code yet, please.": "en", "Mach das lieber nicht, das ist die falsche Datei.": "de",
		"Finalement réponds en français, c'est plus simple pour ma collègue.": "fr",
		"No, nada de Redis: operaciones no quiere otro servicio que vigilar.": "es",
		"Não mexa na API pública, por favor, e mantenha os testes.":           "pt",
		"Не трогай публичный API.":                                            "ru", "不要修改数据库结构": "zh", "テストはJestで書いてください。": "ja", "테스트는 Vitest로 작성해 주세요": "ko",
	} {
		if got := Detect(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestFiller(t *testing.T) {
	for text, want := range map[string]string{
		"yo": "", "wow nice": "", "lol ok, and round to whole cents, half up": "round to whole cents, half up", "Great. Now the page": "Now the page",
		"are you there?": "", "Thank you. Next write a paragraph": "Next write a paragraph", "Thanks": "", "ok": "", "Danke, sehr gut!": "", "merci beaucoup": "",
		"谢谢，很好": "", "ありがとうございます": "", "감사합니다": "", "спасибо, отлично": "", "good morning": "", "Good tests need names": "Good tests need names",
		"fine-tune the model": "fine-tune the model", "ok, what is the encoder setting": "what is the encoder setting", "Impressive.": "", "gracias, genial": "",
	} {
		got := strings.TrimRight(Meat(text, Detect(text)), "?!.")
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestClasses(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []Class
		not  []Class
	}{
		{"And scrap the tabs, use two spaces like everybody else.", []Class{Scrap, Order}, nil},
		{"Actually, forget the ticket number in commit messages too, the hook adds it.", []Class{Scrap, Instead}, nil},
		{"Stop, not CSV after all.", []Class{Reject, Instead}, nil},
		{"Do not change code yet.", []Class{Order, Forbid}, nil},
		{"ticket numbers in brackets are fine here, put them back", []Class{Permit, Limit}, nil},
		{"I go with FTS5, because 40,000 letters are little.", []Class{Choose, Reason}, nil},
		{"Finalement réponds en français, c'est plus simple.", []Class{Instead, Order}, nil},
		{"Dans legacy/export.php, et dans ce fichier seulement, garde les tabulations", []Class{Limit, Order}, nil},
		{"No, nada de Redis: operaciones no quiere otro servicio.", []Class{Reject}, nil},
		{"Mejor 100 por minuto en vez de 60", []Class{Instead}, nil},
		{"Propongo guardar los contadores en Redis", []Class{Propose}, nil},
		{"あと、テストはやっぱりVitestにしてください。", []Class{Instead, Order}, nil},
		{"Jestはもう使いません。", []Class{Scrap}, nil},
		{"新しいライブラリは追加しないでください。", []Class{Order, Forbid}, nil},
		{"Nimm doch lieber Leerzeichen statt Tabs.", []Class{Instead}, nil},
		{"Nur diesmal darfst du direkt auf main committen.", []Class{Limit, Permit}, nil},
		{"Вместо Redis используй PostgreSQL.", []Class{Instead, Order}, nil},
		{"不要用 Redis，改用 PostgreSQL。", []Class{Forbid, Instead}, nil},
		{"Redis 대신 PostgreSQL을 사용해 주세요.", []Class{Instead, Order}, nil},
		{"Em vez de Redis use PostgreSQL.", []Class{Instead, Order}, nil},
		{"The leak is in libvips 8.15.1: pin it to 8.14.5.", []Class{Cause}, nil},
		{"It says \"never print addresses\".", nil, []Class{Order, Forbid}},
	} {
		s := Read(tc.text, Detect(tc.text))
		for _, c := range tc.want {
			if !s.Has(c) {
				t.Errorf("%q has no %s: %v", tc.text, classNames[c], s.Hits)
			}
		}
		for _, c := range tc.not {
			if s.Has(c) {
				t.Errorf("%q has %s", tc.text, classNames[c])
			}
		}
	}
}

func TestClauses(t *testing.T) {
	for _, tc := range []struct {
		text, head string
		want       []string
	}{
		{"House rules: indent with tabs, begin every commit message with the ticket number (PAR-1, PAR-2), and never print addresses to the log.", "House rules: ",
			[]string{"indent with tabs", "begin every commit message with the ticket number (PAR-1, PAR-2)", "never print addresses to the log."}},
		{"No ticket numbers and no names of people.", "", []string{"No ticket numbers", "no names of people."}},
		{"Read a and b.", "", []string{"Read a and b."}},
	} {
		head, parts := Clauses(tc.text, Detect(tc.text))
		if diff := cmp.Diff(tc.want, parts); diff != "" || head != tc.head {
			t.Errorf("%q: %q %s", tc.text, head, diff)
		}
	}
}

func TestContent(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want float64 // of a within b, at least
	}{
		{"scrap the tabs", "indent with tabs", 0.5},
		{"テストはVitestに", "テストはJestで書いて", 0.5},
		{"who starts the run, cron or the web server", "It is started by cron, on the first of the month", 0.3},
	} {
		a, b := Content(tc.a, Detect(tc.a)), Content(tc.b, Detect(tc.b))
		if got := a.Within(b); got < tc.want {
			t.Errorf("%q in %q: %.2f %v %v", tc.a, tc.b, got, a.Sorted(), b.Sorted())
		}
	}
}

func TestOwn(t *testing.T) {
	for _, tc := range []struct {
		text string
		want Words
	}{
		{"hello <system-reminder>never do x</system-reminder> there", Words{Own: "hello  there"}},
		{"<command-message>pr</command-message>\n<command-name>/pr</command-name>\n<command-args>only drafts</command-args>", Words{Own: "only drafts", Command: "/pr only drafts"}},
		{"# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nAlways", Words{}},
		{"# Context from my IDE setup:\n\n## Open tabs:\n- a.go\n\n## My request for Codex:\nfix it\n", Words{Own: "fix it"}},
		{"fix it\n--- Content from referenced files ---\nContent from @a:\nnever", Words{Own: "fix it"}},
		{"<skill name=\"design\" location=\"/x\">\nAlways\n</skill>\n\nreview a.go", Words{Own: "review a.go", Skill: "design"}},
	} {
		if diff := cmp.Diff(tc.want, Own(tc.text)); diff != "" {
			t.Errorf("%q: %s", tc.text, diff)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("No, nada de Redis: n'utilise pas \"x\". やっぱり…")
	f.Fuzz(func(t *testing.T, text string) {
		l := Detect(text)
		for _, line := range Lines(Own(text).Own) {
			for _, s := range Split(line.Text) {
				r := Read(s, l)
				for _, h := range r.Hits {
					if h.Start < 0 || h.End > len(s) || h.Start >= h.End {
						t.Fatalf("%+v in %q", h, s)
					}
				}
				Clauses(s, l)
				Meat(s, l)
				r.Content().Within(r.Content())
			}
		}
	})
}
