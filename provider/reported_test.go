package provider

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// What servers of the user's own say of their windows.
func TestAskWindow(t *testing.T) {
	tests := []struct {
		name, models, props string
		setting             int64
		want                int64
		source              string
	}{
		{"vLLM", `{"object":"list","data":[{"id":"other","max_model_len":1},{"id":"m","max_model_len":32768}]}`, "", 0, 32768, WindowServer},
		{"LM Studio", `{"data":[{"id":"m","max_context_length":131072,"loaded_context_length":8192}]}`, "", 0, 8192, WindowServer},
		{"OpenRouter's like", `{"data":[{"id":"m","context_length":200000}]}`, "", 0, 200000, WindowServer},
		{"llama.cpp, in its list", `{"data":[{"id":"m","meta":{"n_ctx":4096,"n_ctx_train":131072}}]}`, "", 0, 4096, WindowServer},
		{"llama.cpp, at its root", `{"data":[{"id":"m"}]}`, `{"default_generation_settings":{"n_ctx":16384}}`, 0, 16384, WindowServer},
		{"says nothing", `{"data":[{"id":"m"}]}`, "", 0, DefaultWindow, WindowDefault},
		{"another model", `{"data":[{"id":"x","max_model_len":32768}]}`, "", 0, DefaultWindow, WindowDefault},
		{"nonsense", `<html>`, `[]`, 0, DefaultWindow, WindowDefault},
		{"a number too small", `{"data":[{"id":"m","max_model_len":12}]}`, "", 0, DefaultWindow, WindowDefault},
		{"the setting says it", `{"data":[{"id":"m","max_model_len":32768}]}`, "", 64000, 64000, WindowSetting},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				switch {
				case r.Method == http.MethodGet && r.URL.Path == "/v1/models":
					_, _ = io.WriteString(w, tt.models)
				case r.Method == http.MethodGet && r.URL.Path == "/props" && tt.props != "":
					_, _ = io.WriteString(w, tt.props)
				default:
					w.WriteHeader(http.StatusNotFound)
				}
			}))
			defer server.Close()
			cfg := ProviderConfig{Type: "openai", BaseURL: server.URL + "/v1"}
			if tt.setting > 0 {
				cfg.Models = []ModelConfig{{ID: "m", ContextWindow: tt.setting}}
			}
			b, err := NewRegistry(Config{Providers: map[string]ProviderConfig{"local": cfg}}, nil).Bind("local/m")
			if err != nil {
				t.Fatal(err)
			}
			b.AskWindow(t.Context())
			if f := b.Facts(); f.Window != tt.want || f.WindowSource != tt.source {
				t.Errorf("%d from %s, want %d from %s", f.Window, f.WindowSource, tt.want, tt.source)
			}
			if tt.setting > 0 && asked > 0 {
				t.Errorf("asked %d times for what is known", asked)
			}
		})
	}
}
