package facts

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/prose"
	"pgregory.net/rapid"
)

func found(s string) []string { return constraints(prose.Lines(prose.Own(s).Own)) }

func TestConstraints(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"Never push to main.", []string{"Never push to main."}},
		{"Fix the bug. Do not touch vendor/. Thanks.", []string{"Do not touch vendor/."}},
		{"it's broken. don't use any, only unknown", []string{"don't use any, only unknown"}},
		{"- Always run `make lint`\n- Tests must pass\n1. Keep v1.2.3 working. It is old", []string{"Always run `make lint`", "Tests must pass", "Keep v1.2.3 working."}},
		{"Make sure that all of the existing tests in the package still\npass before you commit.", []string{"Make sure that all of the existing tests in the package still\npass before you commit."}},
		{"use tabs not spaces", []string{"use tabs not spaces"}},
		{"Use pnpm.", []string{"Use pnpm."}},
		{"No emojis please", []string{"No emojis please"}},
		{"leave the config alone", []string{"leave the config alone"}},
		{"can you make sure that it builds?", []string{"can you make sure that it builds?"}},
		{"Commit but don't push to the vm yet.", []string{"Commit but don't push to the vm yet."}},
		// items of a list of rules, and what is not a rule
		{"Rules for today:\n\n- Money is int64 in minor units.\n- Short answers\n\nFix it.", []string{"Money is int64 in minor units.", "Short answers"}},
		{"Fix it. We want a key, from the ticket:\n1. The header is optional. It may be empty.\n2. 5xx are not kept", []string{"We want a key, from the ticket:", "The header is optional. It may be empty.", "5xx are not kept"}},
		{"## Requirements\n* Two columns\n\n## Files\n* a.go", []string{"Two columns"}},
		{"Please do not:\n- push\n- commit", []string{"Please do not:", "Please do not: push", "Please do not: commit"}},
		{"The files:\n- a.go is old\n- b.go is new", nil},
		// other languages
		{"Bitte die Tests nicht löschen. Der Build läuft.", []string{"Bitte die Tests nicht löschen."}},
		{"Ändere die API nicht.", []string{"Ändere die API nicht."}},
		{"Du darfst nur src anfassen", []string{"Du darfst nur src anfassen"}},
		{"Ne modifie pas le schéma. Merci.", []string{"Ne modifie pas le schéma."}},
		{"N'utilise pas jQuery", []string{"N'utilise pas jQuery"}},
		{"Il faut toujours tester", []string{"Il faut toujours tester"}},
		{"No toques la base de datos. Gracias.", []string{"No toques la base de datos."}},
		{"Siempre usa español", []string{"Siempre usa español"}},
		{"Não use bibliotecas externas", []string{"Não use bibliotecas externas"}},
		{"テストは必ず実行してください。お疲れ様です。", []string{"テストは必ず実行してください。"}},
		{"mainブランチに直接プッシュしないで", []string{"mainブランチに直接プッシュしないで"}},
		{"不要修改数据库。谢谢。", []string{"不要修改数据库。"}},
		{"必须使用 Go 1.26", []string{"必须使用 Go 1.26"}},
		{"테스트를 반드시 실행하세요. 감사합니다.", []string{"테스트를 반드시 실행하세요."}},
		{"설정 파일은 수정하지 마세요", []string{"설정 파일은 수정하지 마세요"}},
		// what gives no orders
		{"I don't understand this. What should I do?", nil},
		{"why don't the tests pass?", nil},
		{"what is uncommitted?", nil},
		{"it fails on line 3", nil},
		{`the docs say "never use eval" somewhere`, nil},
		{"see `must_not_fail` in the code", nil},
		{"```\nYou must never do this.\n```\nok then", nil},
		{"> You must never do this.", nil},
		{"\"\"\"\nmust never\n\"\"\"", nil},
		{"2024-01-02T03:04:05Z must never happen", nil},
		{"--- FAIL: TestMust (0.00s)", nil},
		{"Error: you must set FOO", nil},
		{"if (must) { never(); }", nil},
		{"# You must read this", nil},
		{"<environment_context>\nYou must never do this.\n</environment_context>", nil},
		{"# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nNever push.\n</INSTRUCTIONS>\n", nil},
		{"<skill name=\"a\">Always x.</skill>\n\nDon't push.", []string{"Don't push."}},
		{"<file name=\"a.md\">\nNever x.\n</file>\nOnly read it.", []string{"Only read it."}},
		{"This session is being continued from a previous conversation. Never x.", nil},
		{"Base directory for this skill: /x\n\nYou must x.", nil},
		{"<command-message>pr</command-message>\n<command-name>/pr</command-name>\n<command-args>only drafts</command-args>", []string{"only drafts"}},
		{"<rules>\nNever push.\n</rules>", []string{"Never push."}},
		{"", nil},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) { equal(t, found(tt.in), tt.want) })
	}
}

func TestConstraintLength(t *testing.T) {
	long := "Never " + strings.Repeat("push anything to the main branch of it, ", 12) + "ever."
	for _, s := range found(long) {
		if n := utf8.RuneCountInString(s); n > maxConstraint {
			t.Errorf("%d characters: %q", n, s)
		}
		if !strings.Contains(long, s) {
			t.Errorf("%q is not as written", s)
		}
	}
	if len(found(long)) == 0 {
		t.Error("nothing found")
	}
	if n := len(found(strings.Repeat("You must do it.\n", 1000))); n != maxConstraints {
		t.Errorf("%d constraints of one message", n)
	}
}

// Whatever the text, a constraint is in it word for word and is short.
func TestConstraintsAreVerbatim(t *testing.T) {
	pieces := []string{"must ", "never", ". ", "\n", "- ", "```\n", "<file>", "</file>", "日本語は禁止。", "don't", "? ", "x", "\"", "é", "e.g. ", strings.Repeat("long words here ", 9)}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "")
		for _, c := range found(s) {
			if !strings.Contains(fold(prose.Own(s).Own), fold(c)) {
				t.Fatalf("%q is not in %q", c, s)
			}
			if utf8.RuneCountInString(c) > maxConstraint {
				t.Fatalf("%q is too long", c)
			}
		}
	})
}

func FuzzUserText(f *testing.F) {
	for _, s := range []string{"You must. Never?", "<file>x", "<!-- a", "1. a) [ ] x", "必须。\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var k talk
		k.user(s)
		k.says(s)
		k.find()
	})
}
