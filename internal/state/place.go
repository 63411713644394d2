package state

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/outcome"
	"github.com/coppice-dev/coppice/internal/shell"
)

// place notes where things are: a later one of the same key takes the place of
// an earlier one.
func (f *folder) place(key, text string) {
	if it := f.latest(Place, key); it != nil {
		if masked := f.opts.Mask(text); it.Text != masked {
			it.Before, it.Text = it.Text, masked
		}
		f.touch(it)
		return
	}
	f.make(Item{Kind: Place, Key: key, Text: text, Life: Current})
}

// lookAround takes what commands tell that only look: the branch, versions.
func (f *folder) lookAround(cmd shell.Command, dir string, r outcome.Result) {
	f.staging(cmd, dir)
	if cmd.Name() != "git" {
		return
	}
	verb, rest := shell.GitVerb(cmd.Args())
	body := strings.TrimSpace(r.Body)
	switch verb {
	case "branch":
		if len(rest) > 0 && rest[0].Text == "--show-current" && body != "" && !strings.ContainsAny(body, " \n") {
			f.place("branch", "branch "+body)
		}
	case "status":
		for line := range strings.Lines(r.Body) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "On branch "); ok {
				f.place("branch", "branch "+name)
			}
			if name, ok := strings.CutPrefix(line, "## "); ok {
				name, _, _ = strings.Cut(strings.TrimSpace(name), "...")
				f.place("branch", "branch "+name)
			}
		}
	case "log":
		f.logLines(r.Body)
	}
}

// logLines finds the hashes of commits that are known by their subjects.
func (f *folder) logLines(body string) {
	for _, c := range f.git.commits {
		if c.hash != "" || c.subject == "" {
			continue
		}
		if hash, _ := committed(body, c.subject); hash != "" {
			c.hash = hash
			c.item.Text = f.opts.Mask(hash + " " + c.subject)
			f.touch(c.item)
		}
	}
}

// maxPrinted bounds the output in which addresses are looked for, in bytes.
const maxPrinted = 4 << 10

// prints takes addresses that a program tells: of a server that it started, of
// a pull request.
func (f *folder) prints(body string) {
	if len(body) > maxPrinted || !strings.Contains(body, "http") {
		return
	}
	for line := range strings.Lines(outcome.Plain(body)) {
		for _, word := range strings.Fields(line) {
			word = strings.Trim(word, "\"'`()<>,")
			switch {
			case strings.HasPrefix(word, "http://localhost:") || strings.HasPrefix(word, "http://127.0.0.1:") || strings.HasPrefix(word, "http://0.0.0.0:"):
				f.place("server", "server "+strings.TrimRight(word, "/."))
			case strings.Contains(word, "/pull/") && strings.HasPrefix(word, "https://github.com/") && !strings.Contains(word, "/pull/new/"):
				f.place("pr/"+word, "pr "+word+" (open)")
			}
		}
	}
}

// mentions takes addresses that an answer names.
func (f *folder) mentions(w *said) {
	if !strings.Contains(w.words.Own, "https://") {
		return
	}
	for _, word := range strings.Fields(w.words.Own) {
		word = strings.Trim(word, "\"'`()<>[],*_")
		if i := strings.Index(word, "https://"); i >= 0 && strings.Contains(word, "/pull/") {
			word = strings.TrimRight(word[i:], ".)]")
			if f.latest(Place, "pr/"+word) == nil {
				f.place("pr/"+word, "pr "+word)
			}
		}
	}
}
