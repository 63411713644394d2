package digest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"sync"

	"github.com/coppice-dev/coppice/internal/lazy"
)

// symbol is something that a text declares.
type symbol struct {
	name  string
	kind  string
	line  string // the line that declares it
	value string // of a constant, where it is short
	outer bool   // at the outermost level
}

// language is how code of a kind declares things.
type language struct {
	// decl finds declarations; the groups are named kind words and the name.
	decl func() *regexp.Regexp
	// mayDeclare, if it is there, reports whether a text has what each match of
	// decl has.
	mayDeclare func(text string) bool
	comments   []string
	config     bool // every "name: value" counts
	markdown   bool
	golang     bool
}

var slashes = []string{"//", "/*", "*", "import ", "#include", "using ", "package ", "use "}
var hashes = []string{"#", "import ", "from ", "require "}

// The patterns have the kind in the first group that matched and the name in
// the one after it.
const (
	goDecl   = `(?m)^\s*(func) (?:\([^)\n]*\) ?)?(\w+)|^(type|var|const) (\w+)`
	pyDecl   = `(?m)^\s*(?:async )?(def|class) (\w+)|^()([A-Z][A-Z0-9_]{2,})\s*(?::[^=\n]+)?=[^=]`
	jsDecl   = `(?m)^\s*(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(function\*?|class|interface|type|enum|namespace) (\w+)|^\s*(?:export )(const|let|var) (\w+)|^\s*(const) (\w+)\s*(?::[^=\n]+)?= (?:async )?(?:\([^)\n]*\)|\w+) =>|^(const|let) (\w+)\s*(?::[^=\n]+)?=|^\s{2,}(?:(?:public|private|protected|static|async|override|readonly) )*()(\w+)\([^)\n]*\)\s*(?::\s*[^{\n]+)?\{$`
	rustDecl = `(?m)^\s*(?:pub(?:\([^)]*\))? )?(?:async |unsafe |const |extern "C" )*(fn|struct|enum|trait|mod|union|type|const|static)(?: mut)? (\w+)`
	javaDecl = `(?m)^\s*(?:(?:public|private|protected|internal|static|final|abstract|override|async|sealed|virtual|partial|open|data|suspend|inline|@\w+) )*(class|interface|enum|record|struct|object|fun|trait|val|const val) (\w+)|^\s+(?:(?:public|private|protected|internal|static|final|abstract|override|async|virtual|synchronized) )+(?:[\w<>\[\],.?]+ )()(\w+)\s*\(`
	cDecl    = `(?m)^(?:static |inline |extern |const |unsigned )*[A-Za-z_][\w:<>]*[ \*&]+()([A-Za-z_][\w:~]*)\([^;\n]*\)?\s*\{?$|^(?:typedef )?(struct|enum|union|class|namespace) (\w+)|^(#define) (\w+)`
	rbDecl   = `(?m)^\s*(def|class|module) (?:self\.)?(\w+[?!]?)|^\s*()([A-Z][A-Z0-9_]{2,})\s*=`
	phpDecl  = `(?m)^\s*(?:(?:public|private|protected|static|final|abstract) )*(function|class|interface|trait|const) (\w+)`
	swDecl   = `(?m)^\s*(?:(?:public|private|internal|open|fileprivate|static|final|override|mutating|@\w+) )*(func|class|struct|enum|protocol|extension|actor) (\w+)`
	exDecl   = `(?m)^\s*(defp?|defmodule|defmacro) ([\w.?!]+)`
	sqlDecl  = `(?mi)^\s*create (?:or replace )?(?:unlogged |temp |temporary |virtual |unique )*(table|view|index|function|type|trigger|materialized view)(?: if not exists)? ([\w."]+)|^\s*(alter table|drop table|add column|drop column)(?: if (?:not )?exists)? ([\w."]+)`
	shDecl   = `(?m)^\s*(function )?([A-Za-z_]\w*)\s*\(\)`
	cssDecl  = `(?m)^()([.#:@]?[A-Za-z][^{};\n]{0,60}?)\s*\{`
	mdDecl   = `(?m)^(#{1,4}) +(.+)$`
)

// languages returns the kinds of files, by their extensions.
func languages() map[string]*language {
	return map[string]*language{
		".go":      {decl: lazy.Regexp(goDecl), mayDeclare: lazy.AnyOf("func", "type", "var", "const"), comments: slashes, golang: true},
		".py .pyi": {decl: lazy.Regexp(pyDecl), mayDeclare: lazy.AnyOf("def", "class", "="), comments: hashes},
		".ts .tsx .js .jsx .mjs .cjs .mts .cts .vue .svelte .astro": {decl: lazy.Regexp(jsDecl), mayDeclare: lazy.AnyOf("function", "class", "interface", "type", "enum", "namespace", "const", "let", "var", "{"), comments: slashes},
		".rs": {decl: lazy.Regexp(rustDecl), mayDeclare: lazy.AnyOf("fn", "struct", "enum", "trait", "mod", "union", "type", "const", "static"), comments: slashes},
		".java .kt .kts .cs .scala .groovy .dart": {decl: lazy.Regexp(javaDecl), comments: slashes},
		".c .h .cc .cpp .hpp .cxx .hh .m .mm":     {decl: lazy.Regexp(cDecl), comments: []string{"//", "/*", "*", "#include"}},
		".rb":                                     {decl: lazy.Regexp(rbDecl), comments: hashes},
		".php":                                    {decl: lazy.Regexp(phpDecl), mayDeclare: lazy.AnyOf("function", "class", "interface", "trait", "const"), comments: slashes},
		".swift":                                  {decl: lazy.Regexp(swDecl), comments: slashes},
		".ex .exs":                                {decl: lazy.Regexp(exDecl), comments: hashes},
		".sql":                                    {decl: lazy.Regexp(sqlDecl), comments: []string{"--"}},
		".sh .bash .zsh":                          {decl: lazy.Regexp(shDecl), comments: hashes},
		".css .scss .less":                        {decl: lazy.Regexp(cssDecl), comments: slashes},
		".md .mdx":                                {decl: lazy.Regexp(mdDecl), markdown: true},
		".rst .txt .adoc":                         {markdown: true},
		".yaml .yml .toml .cfg .conf .env .properties .tf": {comments: hashes, config: true},
		".json .jsonc .json5 .ini":                         {comments: []string{"//", ";", "#"}, config: true},
	}
}

var byExtension = sync.OnceValue(func() map[string]*language {
	out := map[string]*language{}
	for extensions, l := range languages() {
		for _, e := range strings.Fields(extensions) {
			out[e] = l
		}
	}
	return out
})

var unknown = &language{comments: []string{"#", "//"}}

func languageOf(p string) *language {
	if l := byExtension()[extension(p)]; l != nil {
		return l
	}
	base := strings.ToLower(p[strings.LastIndexAny(p, "/\\")+1:])
	if strings.HasPrefix(base, ".env") || base == "dockerfile" || base == "makefile" {
		return byExtension()[".env"]
	}
	return unknown
}

// comment reports whether a line says nothing by itself.
func (l *language) comment(bare string) bool {
	for _, c := range l.comments {
		if strings.HasPrefix(bare, c) {
			return true
		}
	}
	return false
}

// notNames are words that patterns may take for names.
var notNames = lazy.Words{"if", "for", "while", "switch", "catch", "return", "else", "function", "constructor", "in", "of"}

// symbols finds what a text declares.
func (l *language) symbols(text string) []symbol {
	if l.decl == nil || text == "" {
		return nil
	}
	if l.golang {
		if out, ok := goSymbols(text); ok {
			return out
		}
	}
	return l.matches(text)
}

// matches finds symbols by the language's pattern.
func (l *language) matches(text string) []symbol {
	if l.mayDeclare != nil && !l.mayDeclare(text) {
		return nil
	}
	var out []symbol
	for _, m := range l.decl().FindAllStringSubmatchIndex(text, 200) {
		s := symbol{line: lineAt(text, m[0])}
		for g := 2; g+3 < len(m); g += 4 {
			if m[g+2] >= 0 {
				s.name = strings.Trim(text[m[g+2]:m[g+3]], "`*_\" ")
				if m[g] >= 0 {
					s.kind = text[m[g]:m[g+1]]
				}
				break
			}
		}
		if s.name == "" || notNames.Has(s.name) {
			continue
		}
		s.outer = s.line != "" && s.line[0] != ' ' && s.line[0] != '\t'
		if name, value, ok := assignment(s.line); ok && name == s.name && len(value) <= maxValue {
			s.value = value
		}
		out = append(out, s)
	}
	return out
}

func lineAt(text string, at int) string {
	for at < len(text) && text[at] == '\n' {
		at++
	}
	start := strings.LastIndexByte(text[:at], '\n') + 1
	end := strings.IndexByte(text[at:], '\n')
	if end < 0 {
		return text[start:]
	}
	return text[start : at+end]
}

// goSymbols reads Go by its parser: a file, or declarations without a package.
func goSymbols(text string) ([]symbol, bool) {
	src := text
	if !strings.HasPrefix(strings.TrimLeft(text, "\n\t "), "package ") {
		src = "package p;" + text
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	shift := len(src) - len(text)
	at := func(p token.Pos) string { return lineAt(text, max(fset.Position(p).Offset-shift, 0)) }
	var out []symbol
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			out = append(out, symbol{name: d.Name.Name, kind: "func", line: at(d.Name.Pos()), outer: true})
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					out = append(out, symbol{name: s.Name.Name, kind: "type", line: at(s.Pos()), outer: true})
				case *ast.ValueSpec:
					for i, n := range s.Names {
						sym := symbol{name: n.Name, kind: d.Tok.String(), line: at(s.Pos()), outer: true}
						if i < len(s.Values) {
							from, to := fset.Position(s.Values[i].Pos()).Offset-shift, fset.Position(s.Values[i].End()).Offset-shift
							if v := text[from:to]; len(v) <= maxValue && !strings.Contains(v, "\n") {
								sym.value = v
							}
						}
						out = append(out, sym)
					}
				}
			}
		}
	}
	return out, true
}

// symbolName is the name that a line declares, or "".
func (l *language) symbolName(line string) string {
	if line == "" {
		return ""
	}
	if all := l.matches(line); len(all) > 0 {
		return all[0].name
	}
	return ""
}

// maxBack bounds how far up an enclosing symbol is looked for, in bytes.
const maxBack = 24 << 10

// enclosing is the innermost symbol that a place of a text is in: the nearest
// line above that declares one and is less indented.
func (l *language) enclosing(text string, at int) string {
	if l.decl == nil || at > len(text) {
		return ""
	}
	line := lineAt(text, min(at, len(text)))
	depth := indent(line)
	start := strings.LastIndexByte(text[:at], '\n') + 1
	for from := start; from > 0 && start-from < maxBack; {
		prev := strings.LastIndexByte(text[:from-1], '\n') + 1
		above := text[prev : from-1]
		from = prev
		if strings.TrimSpace(above) == "" || !l.markdown && indent(above) >= depth && depth > 0 {
			continue
		}
		if l.markdown && !strings.HasPrefix(above, "#") {
			continue
		}
		if !l.markdown && depth == 0 {
			return ""
		}
		if name := l.symbolName(above); name != "" {
			return name
		}
		if above[0] != ' ' && above[0] != '\t' && above[0] != '}' && above[0] != ')' && above[0] != '{' {
			return ""
		}
		if in := indent(above); in > 0 && !l.markdown {
			depth = in // what is around this is less indented
		}
	}
	return ""
}

func indent(line string) int {
	n := 0
	for _, c := range []byte(line) {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}
