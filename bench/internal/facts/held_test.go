package facts

import "testing"

func TestHolds(t *testing.T) {
	file := Fact{Class: FileModified, Key: "src/a.ts", Text: "src/a.ts"}
	moved := Fact{Class: FileMoved, Key: "a.go", Text: "a.go", Note: "b.go"}
	must := Fact{Class: Constraint, Text: "Never  push\nto main."}
	tests := []struct {
		fact Fact
		text string
		want bool
	}{
		{file, "changed src/a.ts.", true},
		{file, "`src/a.ts`:", true},
		{file, "./src/a.ts", true},
		{file, "src/a.ts:12 and", true},
		{file, "src/a.tsx", false},
		{file, "lib/src/a.ts", false},
		{file, "src/a.ts.bak", false},
		{file, "xsrc/a.ts src/a.ts", true},
		{file, "a.ts", false},
		{moved, "a.go became b.go", true},
		{moved, "b.go", false},
		{must, "- Never push to\n  main", true},
		{must, "- never push to main.", false},
		{Fact{Class: Constraint, Text: "Use a<b && c"}, "Use a&lt;b &amp;&amp; c", true},
		{Fact{Class: Identifier, Text: "foo_bar"}, "foo_bar_baz", false},
		{Fact{Class: Identifier, Text: "foo()"}, "call foo() now", true},
		{Fact{Class: Number, Text: "30 s"}, "130 s, 30 sec", false},
		{Fact{Class: Number, Text: "5%"}, "by 5% more", true},
		{Fact{Class: FileRead, Text: "a.md"}, "a.mdを読む", true},
		{Fact{Class: Error, Text: "panic: x"}, "error: panic: x at", true},
	}
	for _, tt := range tests {
		t.Run(tt.fact.Text+" in "+tt.text, func(t *testing.T) {
			equal(t, NewText(tt.text).Holds(tt.fact), tt.want)
		})
	}
}
