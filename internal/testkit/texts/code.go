package texts

import "strings"

// code is source code and the output of programs that read it.
func code() []Kind {
	return []Kind{
		{"Go", goCode}, {"Python", python}, {"TypeScript", typeScript}, {"Rust", rust}, {"Java", java}, {"C", cCode},
		{"JavaScript, minified", minified}, {"CSS", css}, {"CSS, minified", cssMinified}, {"HTML", html}, {"SQL", sql},
		{"shell", shell}, {"diff", diff}, {"assembly", assembly}, {"LaTeX", latex}, {"regular expressions", regexps},
		{"identifiers", func(g *source) {
			g.printf("%s\n", g.one([]string{g.camel(), g.pascal(), g.upper(), g.joined("_"), g.joined("-")}))
		}},
		{"code without indentation", func(g *source) {
			var in source
			in.Rand = g.Rand
			typeScript(&in)
			for line := range strings.Lines(in.String()) {
				g.printf("%s", strings.TrimLeft(line, " "))
			}
		}},
	}
}

func goCode(g *source) {
	v, f := g.camel(), g.pascal()
	g.printf("// %s %s %s.\nfunc (s *%s) %s(ctx context.Context, %s string) (*%s, error) {\n", f, g.one(verbs), g.phrase(), g.pascal(), f, v, g.pascal())
	for range g.between(1, 4) {
		w := g.camel()
		g.printf("\t%s, err := s.%s(ctx, %s)\n\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"%s %s: %%w\", err)\n\t}\n", w, g.camel(), v, g.one(verbs), g.one(nouns))
		g.printf("\tfor i, %s := range %s.%s {\n\t\tif %s == nil || len(%s) > %d {\n\t\t\tcontinue\n\t\t}\n\t\ts.%s[i] += int64(%s)\n\t}\n", g.one(nouns)[:1], w, g.pascal(), v, v, g.IntN(500), g.one(nouns), w)
	}
	g.printf("\treturn &%s{%s: %s}, nil\n}\n\n", g.pascal(), g.pascal(), v)
}

func python(g *source) {
	g.printf("def %s(self, %s: str, %s=None) -> dict[str, %s]:\n    \"\"\"%s %s.\"\"\"\n", g.joined("_"), g.one(nouns), g.joined("_"), g.pascal(), title(g.one(verbs)), g.phrase())
	for range g.between(1, 4) {
		g.printf("    if not self.%s:\n        raise ValueError(f\"%s {%s} is not %s\")\n", g.joined("_"), g.one(nouns), g.one(nouns), g.one(adjectives))
		g.printf("    %s = [%s.%s for %s in self._%s if %s.%s >= %d]\n", g.joined("_"), "x", g.joined("_"), "x", g.one(nouns), "x", g.one(nouns), g.IntN(100))
	}
	g.printf("    return {%q: %s, %q: self.%s()}\n\n", g.one(nouns), g.one(nouns), g.joined("_"), g.joined("_"))
}

func typeScript(g *source) {
	g.printf("export async function %s(%s: %s, options?: Partial<%sOptions>): Promise<%s[]> {\n", g.camel(), g.one(nouns), g.pascal(), g.pascal(), g.pascal())
	for range g.between(1, 4) {
		g.printf("  const %s = await this.%s.%s(%s => %s.%s !== undefined);\n", g.camel(), g.one(nouns), g.camel(), "item", "item", g.camel())
		g.printf("  if (!%s?.length) {\n    throw new Error(`Cannot %s ${%s}: %s`);\n  }\n", g.camel(), g.one(verbs), g.camel(), g.phrase())
	}
	g.printf("  return { ...%s, %s: %s ?? '%s' };\n}\n\n", g.camel(), g.camel(), g.camel(), g.one(nouns))
}

func rust(g *source) {
	g.printf("impl<'a> %s<'a> {\n    pub fn %s(&mut self, %s: &str) -> Result<Vec<%s>, Error> {\n", g.pascal(), g.joined("_"), g.one(nouns), g.pascal())
	for range g.between(1, 4) {
		g.printf("        let mut %s = self.%s.iter().filter(|x| x.%s > %d).collect::<Vec<_>>();\n", g.joined("_"), g.joined("_"), g.one(nouns), g.IntN(100))
		g.printf("        match self.%s(&%s)? {\n            Some(%s) => %s.push(%s.clone()),\n            None => return Err(Error::%s),\n        }\n", g.joined("_"), g.one(nouns), "v", g.one(nouns), "v", g.pascal())
	}
	g.printf("        Ok(%s)\n    }\n}\n\n", g.joined("_"))
}

func java(g *source) {
	g.printf("    @Override\n    public List<%s> %s(final String %s, Map<String, Object> %s) throws IOException {\n", g.pascal(), g.camel(), g.camel(), g.one(nouns))
	for range g.between(1, 4) {
		g.printf("        %s %s = new %s(%s, %d);\n        if (%s == null || %s.isEmpty()) {\n            throw new IllegalStateException(\"%s\");\n        }\n",
			g.pascal(), g.camel(), g.pascal(), g.camel(), g.IntN(64), g.camel(), g.camel(), g.phrase())
	}
	g.printf("        return %s.stream().map(%s::get%s).collect(Collectors.toList());\n    }\n\n", g.camel(), g.pascal(), g.pascal())
}

func cCode(g *source) {
	g.printf("static int %s(struct %s *%s, const char *%s, size_t len)\n{\n\tuint32_t i;\n", g.joined("_"), g.joined("_"), g.one(nouns)[:2], g.one(nouns))
	for range g.between(1, 4) {
		g.printf("\tif (!%s->%s || len > %s_MAX)\n\t\treturn -EINVAL;\n", g.one(nouns)[:2], g.joined("_"), g.upper())
		g.printf("\tfor (i = 0; i < 0x%x; i++)\n\t\t%s[i] = (%s & ~0x%02x) | (1 << %d); /* %s */\n", g.IntN(1<<12), g.joined("_"), g.one(nouns), g.IntN(256), g.IntN(32), g.phrase())
	}
	g.printf("\treturn 0;\n}\n\n")
}

func minified(g *source) {
	v := func() string { return g.chars(1, "abcdefghijklmnopqrstuvwxyz") }
	g.printf("function %s(%s,%s){var %s=%s.%s(%s),%s=[];return %s?%s(%d,%s.%s):(%s=0,!%s)}", v()+v(), v(), v(), v(), v(), g.camel(), v(), v(), v(), v(), g.IntN(99), v(), g.one(nouns), v(), v())
	g.printf("%s.%s=%s=>{for(let %s=0;%s<%s.length;%s++)%s[%s]&&%s.push({%s:%s,%s:\"%s\"})};", v(), g.camel(), v(), v(), v(), v(), v(), v(), v(), v(), g.one(nouns), v(), g.camel(), g.joined("-"))
}

func css(g *source) {
	g.printf(".%s-%s > .%s:hover {\n  display: flex;\n  padding: %dpx %d.%drem;\n  color: #%s;\n  background-color: rgba(%d, %d, %d, 0.%d);\n  transition: %s 0.%ds ease-in-out;\n}\n\n",
		g.one(nouns), g.one(adjectives), g.joined("-"), g.IntN(40), g.IntN(4), g.IntN(9), g.chars(6, "0123456789abcdef"), g.IntN(256), g.IntN(256), g.IntN(256), g.IntN(9), g.one(strings.Fields("opacity transform width")), g.IntN(9))
}

func cssMinified(g *source) {
	g.printf(".%s{margin:%dpx auto;padding:0 %dpx;color:#%s;font:%dpx/1.%d sans-serif}", g.joined("-"), g.IntN(40), g.IntN(40), g.chars(3, "0123456789abcdef"), g.between(9, 30), g.IntN(9))
}

func html(g *source) {
	g.printf("      <div class=\"%s %s\" id=\"%s\">\n        <a href=\"/%s/%d?%s=%s\" title=\"%s\">%s</a>\n        <span data-%s=\"%d\">%s</span>\n      </div>\n",
		g.joined("-"), g.joined("-"), g.camel(), g.one(nouns), g.IntN(10000), g.one(nouns), g.one(adjectives), g.phrase(), title(g.one(nouns)), g.one(nouns), g.IntN(100), g.phrase())
}

func sql(g *source) {
	g.printf("SELECT %s.%s, COUNT(*) AS %s\nFROM %s AS %s\nLEFT JOIN %s ON %s.%s_id = %s.id\nWHERE %s.%s >= '%s' AND %s IS NOT NULL\nGROUP BY 1\nORDER BY %s DESC\nLIMIT %d;\n\n",
		g.one(nouns)[:1], g.joined("_"), g.joined("_"), g.joined("_"), g.one(nouns)[:1], g.one(nouns), g.one(nouns), g.one(nouns), g.one(nouns), g.one(nouns)[:1], g.joined("_"), g.time()[:10], g.joined("_"), g.one(nouns), g.IntN(500))
}

func shell(g *source) {
	switch g.IntN(4) {
	case 0:
		g.printf("if [ ! -f \"$%s/%s\" ]; then\n  echo \"no %s\" >&2\n  exit 1\nfi\n", g.upper(), g.path(), g.phrase())
	case 1:
		g.printf("grep -rn --include='*.%s' '%s' %s | awk '{print $%d}' | sort -u | head -n %d\n", g.chars(2, "gotspy"), g.camel(), g.path(), g.IntN(9), g.IntN(100))
	case 2:
		g.printf("docker run --rm -v \"$(pwd)\":/%s -e %s=%s %s:%d.%d %s --%s\n", g.one(nouns), g.upper(), g.one(nouns), g.one(nouns), g.IntN(9), g.IntN(30), g.one(verbs), g.joined("-"))
	default:
		g.printf("cd %s && git checkout -b %s && npm run %s -- --%s=%d 2>&1 | tail -%d\n", g.one(nouns), g.joined("-"), g.one(verbs), g.joined("-"), g.IntN(99), g.IntN(50))
	}
}

func diff(g *source) {
	p := g.path()
	g.printf("diff --git a/%s b/%s\nindex %s..%s 100644\n--- a/%s\n+++ b/%s\n@@ -%d,%d +%d,%d @@ func %s(\n", p, p, g.chars(7, "0123456789abcdef"), g.chars(7, "0123456789abcdef"), p, p, g.IntN(900), g.IntN(20), g.IntN(900), g.IntN(20), g.pascal())
	for range g.between(3, 8) {
		g.printf("%s\t%s := %s.%s(%s, %d)\n", g.one([]string{" ", "-", "+"}), g.camel(), g.one(nouns), g.pascal(), g.camel(), g.IntN(100))
	}
}

func assembly(g *source) {
	g.printf("  %06x:\t%s\t%s    %%r%s,-0x%x(%%rbp)\n", g.IntN(1<<24), strings.TrimSpace(strings.Repeat(g.chars(2, "0123456789abcdef")+" ", g.between(3, 7))),
		g.one(strings.Fields("mov lea add sub cmp test jne call push pop xor")), g.one(strings.Fields("ax bx cx dx si di 8 9 10")), g.IntN(256))
}

func latex(g *source) {
	g.printf("Let $%s_{%d} \\in \\mathbb{R}^{%s}$ be %s. Then\n\\begin{equation}\n  \\sum_{i=1}^{n} \\frac{\\partial %s_i}{\\partial x_i} \\leq \\int_{0}^{\\infty} e^{-%d t} \\, dt + \\alpha_{%d} \\cdot \\beta^{2}\n\\end{equation}\n",
		g.chars(1, "abcxyz"), g.IntN(9), g.chars(1, "nmk"), g.phrase(), g.chars(1, "fgh"), g.IntN(9), g.IntN(9))
}

func regexps(g *source) {
	g.printf("^(?:%s|%s)[a-z0-9_]{%d,%d}\\s*=\\s*(\"[^\"]*\"|'[^']*'|\\d+(?:\\.\\d+)?)\\b(?!%s)$\n", g.one(nouns), g.one(verbs), g.IntN(3), g.between(4, 64), g.one(nouns))
}
