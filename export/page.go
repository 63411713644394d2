package export

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"
	"sync"
)

//go:embed assets/page.css
var pageStyle string

//go:embed assets/*.js
var pageScripts embed.FS

// pageScript is the script of the page. Its files share one private scope.
var pageScript = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString("'use strict';\n(() => {\n")
	for _, name := range []string{"data", "talk", "row", "tree", "main"} {
		text, err := pageScripts.ReadFile("assets/" + name + ".js")
		if err != nil {
			panic(err) // it is embedded in the program
		}
		b.Write(text)
	}
	b.WriteString("})();\n")
	return b.String()
})

//go:embed assets/page.gohtml
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// The two elements that hold data: a line for each entry, and the index of all
// of them. They are written between the parts of the template.
const (
	openEntries = `<script type="application/json" id="entries">`
	openIndex   = `<script type="application/json" id="index">`
	closeData   = "</script>\n"
)

// writeHead writes the page up to where the entries begin. Its policy allows
// only scripts and images that are in the page.
func writeHead(w io.Writer, title string) error {
	return pageTemplate().ExecuteTemplate(w, "head", struct {
		Title, Policy string
		Style         template.CSS
	}{title, "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src " + hashOf(pageStyle) +
		"; script-src " + hashOf(pageScript()), template.CSS(pageStyle)})
}

// writeTail writes what comes after the index.
func writeTail(w io.Writer) error {
	return pageTemplate().ExecuteTemplate(w, "tail", template.JS(pageScript()))
}

// hashOf returns the source expression for a text in a content security
// policy.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
