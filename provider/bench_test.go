package provider

import (
	"strings"
	"testing"
)

func BenchmarkClassify(b *testing.B) {
	for name, body := range map[string]string{
		"short": specRows[0].text,
		"page":  "<html>" + strings.Repeat("<p>Please call tool_use without a tool result for the thinking of 12,345 tokens.</p>\n", 1500) + "</html>",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Classify(Response{Status: 502, Body: []byte(body)})
			}
		})
	}
}
