package shell

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// spell writes commands as words with the signs between them.
func spell(commands []Command) string {
	var parts []string
	for _, c := range commands {
		var words []string
		for _, w := range c.Words {
			if !w.Literal {
				w.Text = "<" + w.Text + ">"
			}
			words = append(words, w.Text)
		}
		for _, r := range c.Redirects {
			words = append(words, r.Op+r.Target.Text)
		}
		parts = append(parts, strings.TrimSpace(strings.Join(words, "_")+" "+c.Then))
	}
	return strings.Join(parts, " ")
}

func TestCommands(t *testing.T) {
	for _, tc := range []struct{ script, want string }{
		{"make test", "make_test"},
		{"a && b || c; d", "a && b || c ; d"},
		{"a | b |& c", "a | b | c"},
		{"a &\nb", "a & b"},
		{"nohup ./run.sh --n 3 > run.log 2>&1 &", "./run.sh_--n_3_>run.log &"},
		{"sudo -u x env A=1 timeout -k 9 5 go test", "go_test"},
		{"A=1 B='2 3' go vet", "go_vet"},
		{"bash -lc 'cd x && make' | tail -3", "cd_x && make | tail_-3"},
		{"cat <<'EOF' > f\na && b\nEOF\nls", "cat_>f ; ls"},
		{"echo $x \"$(date)\" '$y'", "echo_<$x>_<$(date)>_$y"},
		{"git commit -m \"a; b\" # c", "git_commit_-m_a; b"},
	} {
		if diff := cmp.Diff(tc.want, spell(Commands(tc.script))); diff != "" {
			t.Errorf("%s: %s", tc.script, diff)
		}
	}
}

func TestEnv(t *testing.T) {
	got := Commands("MALLOC_ARENA_MAX=2 node x.js")
	if diff := cmp.Diff([]string{"MALLOC_ARENA_MAX=2"}, got[0].Env); diff != "" || got[0].Source != "node x.js" {
		t.Errorf("%q %s", got[0].Source, diff)
	}
}

func TestFiles(t *testing.T) {
	for _, tc := range []struct {
		script string
		want   []Op
	}{
		{"mkdir -p gen && rm -rf old", []Op{{Kind: Mkdir, Path: "gen"}, {Kind: Delete, Path: "old"}}},
		{"mv a.go b/", []Op{{Kind: Move, Path: "a.go", To: "b/a.go"}}},
		{"git mv a b", []Op{{Kind: Move, Path: "a", To: "b", Into: true}}},
		{"git -C x rm --cached a", nil},
		{"sed -i 's/a/b/' x.go", []Op{{Kind: Write, Path: "x.go", Text: "s/a/b/"}}},
		{"cat a > b", []Op{{Kind: Read, Path: "a"}, {Kind: Write, Path: "b"}}},
		{"cat > b <<EOF\nx\nEOF", []Op{{Kind: Write, Path: "b", Text: "x\n"}}},
		{"cp a dir/", []Op{{Kind: Read, Path: "a"}, {Kind: Create, Path: "dir/a"}}},
	} {
		var got []Op
		for _, c := range Commands(tc.script) {
			got = append(got, Files(c)...)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.script, diff)
		}
	}
}

func FuzzCommands(f *testing.F) {
	f.Add("cat <<EOF > x\nfoo\nEOF\nmv a b | tee c && (rm d) 2>&1")
	f.Add("a $(b ${c `d` \"e 'f \\")
	f.Add("<<<<-A <<\n&>x >|y >&2 <(")
	f.Fuzz(func(t *testing.T, script string) {
		for _, c := range Commands(script) {
			Files(c)
			ChangesDir(c)
			GitVerb(c.Args())
		}
	})
}
