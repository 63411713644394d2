package oracle

import "fmt"

// gemini checks a generateContent request.
func (c *checker) gemini(b object) {
	var names []string
	for _, t := range list(b["tools"]) {
		for _, f := range list(obj(t)["functionDeclarations"]) {
			names = append(names, text(obj(f)["name"]))
		}
	}
	c.names("tools", names, geminiName, 512)
	contents := list(b["contents"])
	if len(contents) == 0 {
		c.say("contents: empty")
		return
	}
	if text(obj(contents[0])["role"]) != "user" {
		c.say("contents.0: does not begin with the user")
	}
	if text(obj(contents[len(contents)-1])["role"]) != "user" {
		c.say("contents: does not end with the user")
	}
	var calls []string // of the content before
	for i, v := range contents {
		calls = c.geminiContent(i, obj(v), calls)
	}
	if len(calls) > 0 {
		c.say("contents: function calls without responses at the end: %q", calls)
	}
}

// geminiContent checks one content against the calls of the one before it, and
// returns its own calls.
func (c *checker) geminiContent(i int, o object, waiting []string) (calls []string) {
	at := fmt.Sprintf("contents.%d", i)
	role := text(o["role"])
	if role != "user" && role != "model" {
		c.say("%s: role %q", at, role)
	}
	parts := list(o["parts"])
	if len(parts) == 0 {
		c.say("%s: no parts", at)
	}
	var answers []string
	for j, v := range parts {
		p, where := obj(v), fmt.Sprintf("%s.parts.%d", at, j)
		c.geminiPart(where, role, p)
		if f, ok := p["functionCall"].(object); ok {
			calls = append(calls, text(f["name"]))
			if has(f, "args") && !isObject(f["args"]) {
				c.say("%s: args are not an object", where)
			}
		}
		if f, ok := p["functionResponse"].(object); ok {
			answers = append(answers, text(f["name"]))
			if !isObject(f["response"]) {
				c.say("%s: response is not an object", where)
			}
		}
	}
	if len(answers) != len(waiting) {
		c.say("%s: %d function responses to %d function calls", at, len(answers), len(waiting))
		return calls
	}
	for n, name := range waiting {
		if answers[n] != name {
			c.say("%s: response %d is for %q, not %q", at, n, answers[n], name)
		}
	}
	return calls
}

func (c *checker) geminiPart(at, role string, p object) {
	kinds := 0
	for _, k := range []string{"text", "inlineData", "functionCall", "functionResponse", "fileData", "executableCode", "codeExecutionResult"} {
		if has(p, k) {
			kinds++
		}
	}
	if kinds != 1 {
		c.say("%s: %d kinds of data in one part", at, kinds)
	}
	if s, ok := p["text"].(string); ok && s == "" && !has(p, "thoughtSignature") {
		c.say("%s: empty text", at)
	}
	if d, ok := p["inlineData"].(object); ok {
		c.base64Data(at, text(d["mimeType"]), text(d["data"]))
	}
	for _, k := range []string{"functionCall", "functionResponse"} {
		if f, ok := p[k].(object); ok && !geminiName.MatchString(text(f["name"])) {
			c.say("%s: function name %q", at, f["name"])
		}
	}
	if has(p, "functionCall") && role != "model" || has(p, "functionResponse") && role != "user" {
		c.say("%s: a call or a response in a content of role %s", at, role)
	}
}
