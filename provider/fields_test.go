package provider

import "testing"

func TestFieldOf(t *testing.T) {
	for where, want := range map[string]string{
		"input[308].arguments":                              "arguments",
		"messages[2].tool_calls[0].function.arguments":      "arguments",
		"messages.3.content.1.tool_use.input":               "arguments",
		"contents[4].parts[0].functionCall.args":            "arguments",
		"input[4].output":                                   "output",
		"messages.8.content.0.tool_result.content.0.text":   "output",
		"contents[2].parts[0].functionResponse.response":    "output",
		"input[3].content":                                  "text",
		"input[3].content[0].text":                          "text",
		"messages[7].content":                               "text",
		"messages[2].tool_calls[0].id":                      "id",
		"messages[3].tool_call_id":                          "id",
		"input[4].call_id":                                  "id",
		"messages.3.content.0.tool_result.tool_use_id":      "id",
		"tools[13].function.description":                    "description",
		"tools[0].name":                                     "tools.name",
		"tools.0.custom.name":                               "tools.custom.name",
		"toolconfig.tools.5.member.toolspec.name":           "toolconfig.tools.member.toolspec.name",
		"tools.0.custom.input_schema.properties.text.title": "tools.custom.input_schema.properties.text.title",
		"input": "input",
		"":      "",
	} {
		if got := fieldOf(where); got != want {
			t.Errorf("%s: %q, want %q", where, got, want)
		}
	}
}
