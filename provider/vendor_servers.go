package provider

import (
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// vendorServer is the way to ask a vendor's server, by its host, for a model's
// window (docs/limits.md, Windows); nil: the host is not a vendor's. OpenAI and
// others whose lists do not have it are not asked.
func vendorServer(host string) func(asker) claims {
	switch host {
	case "api.anthropic.com":
		return askAnthropic
	case "generativelanguage.googleapis.com":
		return askGemini
	case "api.mistral.ai":
		return askMistral
	case "api.groq.com":
		return askList
	case "openrouter.ai":
		return askOpenRouter
	case "api.githubcopilot.com":
		return askCopilot
	case "api.openai.com", "api.x.ai", "api.upstage.ai":
		return askNothing
	}
	return nil
}

// ownServer is the way to ask a server of the user, whose kind may be known from
// the provider's name.
func ownServer(provider string) func(asker) claims {
	switch provider {
	case "ollama":
		return askOllama
	case "lmstudio":
		return askLMStudio
	case "llama.cpp":
		return askLlamaCpp
	case "azure":
		return askNothing
	}
	return anyServer
}

func askNothing(asker) claims { return claims{} }

// anyServer asks a server of an unknown kind: its list first, then what each
// kind of server answers to.
func anyServer(a asker) claims {
	list := a.get(a.base() + "/models")
	switch rawjson.String(rawjson.Get(a.row(list), "owned_by")) {
	case "llamacpp": // its list has the window the model was trained with
		return askLlamaCpp(a)
	case "sglang": // its list has the model's window, which may not fit into memory
		if c := askSGLang(a); c != (claims{}) {
			return c
		}
	}
	if c := a.listed(list); c != (claims{}) {
		return c
	}
	for _, ask := range []func(asker) claims{askLlamaCpp, askOllama, askLMStudio, askAnthropic, askSGLang, askTGI} {
		if c := ask(a); c != (claims{}) {
			return c
		}
	}
	return claims{}
}

func askList(a asker) claims { return a.listed(a.get(a.base() + "/models")) }

// windowNames are the fields in which lists give the window in force. What a
// model could have, or was trained with, does not count.
var windowNames = []string{"loaded_context_length", "max_model_len", "context_length", "context_window", "max_input_tokens"}

// listed reads the model's row in a list. An adapter whose row has no window has
// that of its base model (vLLM).
func (a asker) listed(list []byte) claims {
	row := a.row(list)
	if row == nil {
		return claims{}
	}
	c := claims{output: tokensAt(row, "max_completion_tokens")}
	for _, name := range windowNames {
		if c.window = tokensAt(row, name); c.window > 0 {
			c.from = "models: " + name
			return c
		}
	}
	if c.window = tokensAt(row, "meta", "n_ctx"); c.window > 0 {
		c.from = "models: meta.n_ctx"
		return c
	}
	if parent := rawjson.String(rawjson.Get(row, "parent")); parent != "" && parent != a.id {
		a.id = parent
		return a.listed(list)
	}
	return claims{}
}

// askLlamaCpp asks for the window of a slot. A router has one for each model.
func askLlamaCpp(a asker) claims {
	for _, url := range []string{a.root() + "/props", a.root() + "/props?autoload=false&model=" + a.id} {
		if n := tokensAt(a.get(url), "default_generation_settings", "n_ctx"); n > 0 {
			return claims{window: n, from: "/props: n_ctx"}
		}
	}
	return claims{}
}

// askOllama asks for the window of the loaded model, else for the one its
// Modelfile sets. The window it was trained with is not in force.
func askOllama(a asker) claims {
	for m := range rawjson.Elements(rawjson.Get(a.get(a.root()+"/api/ps"), "models")) {
		for _, name := range []string{"name", "model"} {
			n := tokensAt(m, "context_length") // 0: older versions do not say it
			if got := rawjson.String(rawjson.Get(m, name)); n > 0 && (got == a.id || got == a.id+":latest") {
				return claims{window: n, from: "/api/ps: context_length"}
			}
		}
	}
	show := a.post(a.root()+"/api/show", fmt.Appendf(nil, `{"model":%q}`, a.id))
	for line := range strings.Lines(rawjson.String(rawjson.Get(show, "parameters"))) {
		var n int64
		if _, err := fmt.Sscanf(line, "num_ctx %d", &n); err == nil {
			return claims{window: n, from: "/api/show: num_ctx"}
		}
	}
	return claims{}
}

// askLMStudio asks for the window of the loaded model.
func askLMStudio(a asker) claims {
	for m := range rawjson.Elements(rawjson.Get(a.get(a.root()+"/api/v1/models"), "models")) {
		for in := range rawjson.Elements(rawjson.Get(m, "loaded_instances")) {
			if rawjson.String(rawjson.Get(m, "key")) == a.id || rawjson.String(rawjson.Get(in, "id")) == a.id {
				return claims{window: tokensAt(in, "config", "context_length"), from: "/api/v1/models: context_length"}
			}
		}
	}
	if n := tokensAt(a.row(a.get(a.root()+"/api/v0/models")), "loaded_context_length"); n > 0 {
		return claims{window: n, from: "/api/v0/models: loaded_context_length"}
	}
	return claims{}
}

func askSGLang(a asker) claims {
	for _, path := range []string{"/server_info", "/get_server_info"} {
		info := a.get(a.root() + path)
		if input := tokensAt(info, "max_req_input_len"); input > 0 {
			return claims{window: tokensAt(info, "context_length"), input: input, from: path + ": max_req_input_len"}
		}
	}
	return claims{}
}

// askTGI asks Hugging Face's text-generation-inference.
func askTGI(a asker) claims {
	info := a.get(a.root() + "/info")
	return named(claims{window: tokensAt(info, "max_total_tokens"), input: max(tokensAt(info, "max_input_tokens"), tokensAt(info, "max_input_length"))}, "/info: max_total_tokens")
}

func askAnthropic(a asker) claims {
	m := a.get(a.root() + "/v1/models/" + a.id)
	return named(claims{window: tokensAt(m, "max_input_tokens"), output: tokensAt(m, "max_tokens")}, "models: max_input_tokens")
}

// askGemini reads a limit of the input; the output limit is added to it.
func askGemini(a asker) claims {
	m := a.get(a.base() + "/models/" + a.id)
	return named(claims{window: tokensAt(m, "inputTokenLimit"), output: tokensAt(m, "outputTokenLimit")}, "models: inputTokenLimit")
}

// mistralFiller is what Mistral's list has for models whose window it does not
// know.
const mistralFiller = 32_768

func askMistral(a asker) claims {
	n := tokensAt(a.row(a.get(a.base()+"/models")), "max_context_length")
	if n == mistralFiller {
		return claims{}
	}
	return named(claims{window: n}, "models: max_context_length")
}

// askOpenRouter takes the smallest window among the servers that a request may be
// sent to. Variants are not listed; a free model has a window of its own.
func askOpenRouter(a asker) claims {
	id := a.id
	if base, variant, ok := strings.Cut(id, ":"); ok && variant != "free" {
		id = base
	}
	c := claims{}
	list := a.get(a.base() + "/models/" + id + "/endpoints")
	for e := range rawjson.Elements(rawjson.Get(rawjson.Get(list, "data"), "endpoints")) {
		c.window = smaller(c.window, tokensAt(e, "context_length"))
		c.input = smaller(c.input, tokensAt(e, "max_prompt_tokens"))
		c.output = smaller(c.output, tokensAt(e, "max_completion_tokens"))
	}
	return named(c, "endpoints: context_length")
}

func askCopilot(a asker) claims {
	limits := rawjson.Get(rawjson.Get(a.row(a.get(a.base()+"/models")), "capabilities"), "limits")
	return named(claims{window: tokensAt(limits, "max_context_window_tokens"), input: tokensAt(limits, "max_prompt_tokens"), output: tokensAt(limits, "max_output_tokens")},
		"models: capabilities.limits")
}

// named adds where the numbers come from, if there are any.
func named(c claims, from string) claims {
	if c.window <= 0 && c.input <= 0 {
		return claims{}
	}
	c.from = from
	return c
}

// smaller is the smaller of two numbers; 0 means unknown.
func smaller(a, b int64) int64 {
	if a <= 0 || b > 0 && b < a {
		return b
	}
	return a
}
