package summarize

import (
	"context"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
)

// replies are the answers of a model, one after the other; the last one stays.
func replies(texts ...string) func(int, string) (*message.Message, error) {
	return func(n int, prompt string) (*message.Message, error) {
		if text := texts[min(n, len(texts))-1]; text != "" {
			return good(prompt, text), nil
		}
		return reply(""), nil
	}
}

func TestTranscriptSaysThingsOnce(t *testing.T) {
	dump := strings.Repeat("line of the file\n", 60)
	changed := strings.Replace(dump, "line of", "LINE of", 1)
	list := func(id, args string) *message.Message {
		return assistant(message.ToolCall{ID: id, Name: "TodoWrite", Arguments: []byte(args)})
	}
	read := func(id, text string) []*message.Message {
		return []*message.Message{
			assistant(message.ToolCall{ID: id, Name: "read", Arguments: []byte(`{"path":"a.go"}`)}),
			{Role: message.RoleToolResult, ToolCallID: id, ToolName: "read", Content: []message.Block{message.Text{Text: text}}},
		}
	}
	var msgs []*message.Message
	msgs = append(msgs, list("t1", `{"todos":[{"content":"first plan","status":"pending"}]}`))
	msgs = append(msgs, read("r1", dump)...)
	msgs = append(msgs, read("r2", dump)...)
	msgs = append(msgs, read("r3", changed)...)
	msgs = append(msgs, read("r4", strings.Repeat("another text\n", 60))...)
	msgs = append(msgs, list("t2", `{"todos":[{"content":"last plan","status":"pending"}]}`))
	sources := make([]ledger.Source, len(msgs))
	for i, m := range msgs {
		sources[i].Message = m
	}
	got := transcript(roundsOf(sources), 20_000, maskOr(nil))
	for text, want := range map[string]int{
		dump: 1, "[the same output as the last time]": 1, "[what changed since the last time]": 1, "+LINE of the file": 1, "another text": 60,
		"first plan": 0, "TodoWrite([a later list replaces this one])": 1, "last plan": 1,
	} {
		if n := strings.Count(got, text); n != want {
			t.Errorf("%q %d times, want %d", clip(text, 60), n, want)
		}
	}
}

func TestModelIsGivenTheState(t *testing.T) {
	var long strings.Builder
	long.WriteString("agent: pi\n---\nU Never touch api.go. Make the tests pass.\n")
	for range 60 {
		long.WriteString("$ cat notes.txt\n| " + strings.Repeat("nothing new here, move on please ", 12) + "\n")
	}
	long.WriteString("$ go test ./...\n| --- FAIL: TestParse (0.00s)\n| FAIL\n! 1\nA The parser is still wrong.\n")
	m := newModel(100_000, always("x"))
	in := Input{History: play(t, long.String())}
	if _, err := (&Ladder{Models: []Model{m}}).Summarize(context.Background(), in); err != nil {
		t.Fatal(err)
	}
	inOrder(t, m.seen[0].prompt(), "</conversation>", "<additional-context>\nFound by code", "## Constraints & Preferences\n", "Never touch api.go.",
		"### Blocked\n", "`go test ./...`", "</additional-context>", "Summarize the conversation", "Aim for about ")
}

func TestHalvesKnowOfEachOther(t *testing.T) {
	history := instructions{split: true, turn: "Port the tests", target: 500}.text()
	inOrder(t, history, "Summarize the conversation", "it began with this request:\n<turn-request>\nPort the tests\n</turn-request>", "Do not guess what happened in it.", "Aim for about 500 tokens (300 words)")
	prefix := instructions{prefix: true, split: true, shown: true, short: true}.text()
	inOrder(t, prefix, "## Original Request", "What came before this turn is summarized apart", "name it in a few words", "<short-summary>")
	own := instructions{base: "List the files.", shown: true}.text()
	if !strings.HasSuffix(own, "List the files.") {
		t.Errorf("a caller's prompt has not the last word:\n%s", own)
	}
}

func TestScripts(t *testing.T) {
	for _, tc := range []struct {
		user, answer string
		refused      bool
	}{
		{"请把解析器改好，不要修改数据库结构，测试必须全部通过，然后告诉我结果如何。谢谢你的帮助，请尽快完成这项工作。", "## Goal\nThe user wants the parser fixed without a change of the schema, and all tests to pass, and a report about how it went.", true},
		{"请把解析器改好，不要修改数据库结构，测试必须全部通过，然后告诉我结果如何。谢谢你的帮助，请尽快完成这项工作。", "## Goal\n修好解析器 `internal/parse/parser.go`，不修改数据库结构；所有测试必须通过。TestParse 仍然失败，原因是缓冲区太小，需要先扩大缓冲区再运行测试。", false},
		{"Почини парсер и не трогай публичный API, пожалуйста.", "## Цель\nПочинить парсер. `go test ./...` falls: TestParse в internal/parse; публичный API не менять, все тесты должны пройти до конца дня, отчёт написать на русском.", false},
		{"Почини парсер и не трогай публичный API, пожалуйста.", "## Goal\nFix the parser without touching the public API, please; all of the tests have to pass by the end of the day, with a report.", true},
		{"Please fix the parser, and do not touch the public API.", "## Goal\n修好解析器，不修改公共接口；所有测试必须通过。测试仍然失败，原因是缓冲区太小，需要先扩大缓冲区再运行测试。然后写一份报告，说明改了什么，为什么这样改，还有什么没有完成，下一步应该做什么，以及需要注意的问题和风险。", true},
		{"ok", "## Goal\n修好解析器，不修改公共接口；所有测试必须通过。测试仍然失败，原因是缓冲区太小，需要先扩大缓冲区再运行测试。然后写一份报告，说明改了什么，为什么这样改，还有什么没有完成，下一步应该做什么，以及需要注意的问题和风险。", false},
	} {
		script := usersScript([]ledger.Source{{Message: user(text(tc.user))}})
		if _, refused := otherScript(tc.answer, script); refused != tc.refused {
			t.Errorf("%s\n%s\nrefused %v, want %v", tc.user, tc.answer, refused, tc.refused)
		}
	}
}

// What could be used is asked for once more, and is not lost where the second
// answer is worse.
func TestDoubtedAnswers(t *testing.T) {
	const asked = "Почини парсер и не трогай публичный API, пожалуйста. Тесты должны пройти."
	russian := strings.Repeat("Парсер ещё не готов, тесты падают, надо продолжать работу. ", 3)
	english := strings.Repeat("The parser is not ready, the tests fail, work has to go on. ", 3)
	for _, tc := range []struct {
		name    string
		answers []string
		want    string
		asked   int
	}{
		{"the second is right", []string{english, russian}, "Парсер", 2},
		{"the second is the same", []string{english, english}, "The parser is not ready", 2},
		{"the second is nothing", []string{english, ""}, "The parser is not ready", 2},
		{"right at once", []string{russian}, "Парсер", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newModel(100_000, replies(tc.answers...))
			in := Input{History: sources(user(text(asked + strings.Repeat(" Ещё раз.", 400))))}
			res, err := (&Ladder{Models: []Model{m}}).Summarize(context.Background(), in)
			if err != nil || !strings.Contains(res.Summary, tc.want) || len(m.seen) != tc.asked || res.Rung != RungModel {
				t.Errorf("%v, %d requests, rung %s:\n%s\n%+v", err, len(m.seen), res.Rung, res.Summary, res.Attempts)
			}
		})
	}
}

func TestContradictionsAreAskedForAgain(t *testing.T) {
	said := "agent: pi\n---\nU Make the tests pass.\n$ go test ./...\n| --- FAIL: TestParse (0.00s)\n| FAIL\n! 1\nA The parser is still wrong.\n"
	const wrong = "- `go test ./...`: all tests pass"
	s := state.Fold(play(t, said), state.Options{})
	if len(state.NewText(wrong).Contradictions(t.Context(), s)) == 0 {
		t.Fatal("the summary contradicts nothing")
	}
	for strict, want := range map[bool]int{true: 2, false: 1} {
		m := newModel(100_000, replies(wrong, "The parser is wrong."))
		res, err := (&Ladder{Models: []Model{m}}).Summarize(context.Background(), Input{History: play(t, said), RetryOnContradiction: strict})
		if err != nil || len(m.seen) != want || strict == strings.Contains(res.Summary, "all tests pass") {
			t.Errorf("strict %v: %v, %d requests:\n%s", strict, err, len(m.seen), res.Summary)
		}
		if strict {
			inOrder(t, m.seen[1].prompt(), "it says something that is wrong", "all tests pass", "Correct these lines")
		}
	}
}
