package mcp

import (
	"fmt"
	"maps"
	"runtime"
	"slices"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/provider"
)

var variable = lazy.Regexp(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// expand replaces variables in the texts of a server.
func expand(s Server, getenv func(string) string) (Server, error) {
	var missing string
	text := func(in string) string {
		return variable().ReplaceAllStringFunc(in, func(m string) string {
			name := variable().FindStringSubmatch(m)[1]
			value := getenv(name)
			if value == "" {
				missing = name
			}
			return value
		})
	}
	secrets := func(in map[string]provider.Secret) map[string]provider.Secret {
		out := map[string]provider.Secret{}
		for k, v := range in {
			out[k] = provider.Secret(text(string(v)))
		}
		return out
	}
	s.Command, s.URL = text(s.Command), text(s.URL)
	s.Args = slices.Clone(s.Args)
	for i := range s.Args {
		s.Args[i] = text(s.Args[i])
	}
	s.Env, s.Headers = secrets(s.Env), secrets(s.Headers)
	if missing != "" {
		return s, fmt.Errorf("the variable %s is not set", missing)
	}
	return s, nil
}

// needed are the variables that programs need to find themselves and their
// user. They do not get the rest of our environment.
func needed() []string {
	names := []string{"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
		"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"}
	if runtime.GOOS == "windows" {
		names = append(names, "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE",
			"PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE")
	}
	return names
}

// environment is the environment of a server's program.
func environment(getenv func(string) string, own map[string]provider.Secret) []string {
	var out []string
	for _, name := range needed() {
		if value := getenv(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		out = append(out, name+"="+string(own[name])) // the last of a name counts
	}
	return out
}
