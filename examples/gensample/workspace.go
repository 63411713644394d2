package main

import (
	"embed"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// workspace is the source tree of the invented service. The tools of the
// session really read, search and change it, so that results fit together.
type workspace map[string]string

func newWorkspace() workspace {
	ws := workspace{}
	const static = "templates/files/"
	must(fs.WalkDir(templates, "templates/files", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			ws[strings.TrimSuffix(strings.TrimPrefix(path, static), ".txt")] = string(value(templates.ReadFile(path)))
		}
		return err
	}))
	for i, r := range domain() {
		for name, path := range map[string]string{
			"model.go.tmpl":      fmt.Sprintf("internal/%s/%s.go", r.Pkg, r.Pkg),
			"store.go.tmpl":      fmt.Sprintf("internal/%s/store.go", r.Pkg),
			"store_test.go.tmpl": fmt.Sprintf("internal/%s/store_test.go", r.Pkg),
			"handler.go.tmpl":    fmt.Sprintf("internal/httpapi/%s.go", r.Pkg),
			"migration.sql.tmpl": fmt.Sprintf("migrations/%04d_%s.up.sql", 10+i, r.Table),
		} {
			ws[path] = tidy(path, expand(name, r))
		}
	}
	return ws
}

// expand makes the text of a template for a resource.
func expand(name string, r resource) string {
	var b strings.Builder
	t := template.New(name).Funcs(template.FuncMap{"lower": strings.ToLower, "title": title})
	must(template.Must(t.ParseFS(templates, "templates/"+name)).Execute(&b, r))
	return b.String()
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// tidy formats Go source; anything else stays as it is.
func tidy(path, src string) string {
	if !strings.HasSuffix(path, ".go") {
		return src
	}
	return string(value(format.Source([]byte(src))))
}

// paths lists the files below a folder, in order.
func (ws workspace) paths(dir string) []string {
	var out []string
	for _, p := range slices.Sorted(maps.Keys(ws)) {
		if strings.HasPrefix(p, dir) {
			out = append(out, p)
		}
	}
	return out
}

// grep returns the lines that match, as path:line:text.
func (ws workspace) grep(pattern, dir string) string {
	re := regexp.MustCompile(pattern)
	var b strings.Builder
	for _, p := range ws.paths(dir) {
		for i, line := range strings.Split(ws[p], "\n") {
			if re.MatchString(line) {
				fmt.Fprintf(&b, "%s:%d:%s\n", p, i+1, line)
			}
		}
	}
	return b.String()
}

// line names the place of a text, as path:line.
func (ws workspace) line(path, text string) string {
	before, _, ok := strings.Cut(ws[path], text)
	if !ok {
		panic(path + ": no " + text)
	}
	return fmt.Sprintf("%s:%d", path, 1+strings.Count(before, "\n"))
}

// script returns a file that the model writes in the story.
func script(name string) string {
	return string(value(templates.ReadFile("templates/story/" + name + ".txt")))
}

// replace changes one place in a file. A place that is not there is a
// mistake in the story.
func (ws workspace) replace(path, old, new string) {
	if strings.Count(ws[path], old) != 1 {
		panic(fmt.Sprintf("%s: %q is there %d times", path, old, strings.Count(ws[path], old)))
	}
	ws[path] = strings.Replace(ws[path], old, new, 1)
}

func must(err error) {
	if err != nil {
		panic(err) // the generator works on its own embedded data only
	}
}

func value[T any](v T, err error) T {
	must(err)
	return v
}
