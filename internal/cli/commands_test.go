package cli

import "testing"

func TestVerbsHaveTheNamesOfTheirCommands(t *testing.T) {
	for _, v := range verbs {
		if got := v.build(&app{}).Name(); got != v.name {
			t.Errorf("%s builds the command %s", v.name, got)
		}
	}
}

func TestOneCommandIsBuilt(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want int
	}{
		{[]string{"compact", "x"}, 1}, {nil, len(verbs)}, {[]string{"--force", "compact", "x"}, len(verbs)}, {[]string{"help", "compact"}, len(verbs)}, {[]string{"compcat"}, len(verbs)},
	} {
		if got := len((&app{Env: Env{Args: tt.args}}).commands()); got != tt.want {
			t.Errorf("%q: %d commands, want %d", tt.args, got, tt.want)
		}
	}
}
