package docs

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rivo/uniseg"

	"github.com/coppice-dev/coppice/internal/cli"
)

// compact.svg is what the README's first command prints on a terminal.
func TestPicture(t *testing.T) {
	sh := newShell(t)
	var out bytes.Buffer
	home := map[string]string{"HOME": filepath.Join(sh.dir, "home")}
	code := cli.Run(context.Background(), cli.Env{Args: []string{"compact", "examples/sample-session.jsonl", "-o", filepath.Join(sh.dir, "smaller.jsonl")},
		Out: &out, Err: &out, Terminal: true, Width: pictureColumns, Getenv: func(k string) string { return home[k] }, Dir: sh.dir, Now: time.Now, Version: "(devel)"})
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	text := strings.ReplaceAll(out.String(), sh.dir+string(filepath.Separator), "")
	text = regexp.MustCompile(`\bin [0-9.]+m?s\b`).ReplaceAllString(text, "in 72ms")
	text = regexp.MustCompile(`\bas [0-9a-f]{16}\b`).ReplaceAllString(text, "as 0e1fb758325ee93a")
	want := svg("coppice compact examples/sample-session.jsonl -o smaller.jsonl", text)
	const file = "compact.svg"
	have, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(have), "\r\n", "\n") == want {
		return
	}
	if !*update {
		t.Fatalf("the command prints something else than %s shows (go test ./docs -update):\n%s", file, text)
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Sizes of the picture: columns of text, and a cell in pixels.
const (
	pictureColumns = 100
	cellWidth      = 8.4
	cellHeight     = 19
	margin         = 18
	barHeight      = 34
	ground, ink    = "#1b1f24", "#d7dde5"
)

// svg draws a command and what it printed with terminal colours. Each run of
// one colour is stretched to its columns, so that blocks line up in any font.
func svg(command, printed string) string {
	lines := [][]run{{{"$ ", hex("78")}, {command, ink}}, nil}
	for line := range strings.SplitSeq(strings.TrimRight(printed, "\n"), "\n") {
		lines = append(lines, wrapped(runs(line))...)
	}
	width, height := pictureColumns*cellWidth+2*margin, float64(len(lines)*cellHeight+barHeight+margin)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<title>%s</title>`+"\n", escaped(command))
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="9" fill="%s"/>`+"\n", ground)
	for i, c := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="17" r="5.5" fill="%s"/>`+"\n", margin+6+i*19, c)
	}
	for i, line := range lines {
		column := 0
		for _, r := range line {
			text := strings.TrimLeft(r.text, " ")
			column += len(r.text) - len(text)
			n := uniseg.StringWidth(text)
			if text != "" {
				fmt.Fprintf(&b, `<text x="%.1f" y="%d" fill="%s" textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve">%s</text>`+"\n",
					margin+float64(column)*cellWidth, barHeight+(i+1)*cellHeight-5, r.fill, float64(n)*cellWidth, escaped(text))
			}
			column += n
		}
	}
	return b.String() + "</svg>\n"
}

// run is text of one colour.
type run struct{ text, fill string }

var colourCode = regexp.MustCompile("\x1b\\[([0-9;]*)m")

func runs(line string) []run {
	var out []run
	fill, end := ink, 0
	for _, at := range colourCode.FindAllStringSubmatchIndex(line, -1) {
		if at[0] > end {
			out = append(out, run{line[end:at[0]], fill})
		}
		fill, end = ink, at[1]
		if n, ok := strings.CutPrefix(line[at[2]:at[3]], "38;5;"); ok {
			fill = hex(n)
		}
	}
	if end < len(line) {
		out = append(out, run{line[end:], fill})
	}
	return out
}

// wrapped breaks a line where a terminal would, at its last column.
func wrapped(line []run) [][]run {
	out, column := [][]run{nil}, 0
	for _, r := range line {
		for clusters := uniseg.NewGraphemes(r.text); clusters.Next(); column += clusters.Width() {
			if column+clusters.Width() > pictureColumns {
				out, column = append(out, nil), 0
			}
			last := &out[len(out)-1]
			if n := len(*last); n == 0 || (*last)[n-1].fill != r.fill {
				*last = append(*last, run{fill: r.fill})
			}
			(*last)[len(*last)-1].text += clusters.Str()
		}
	}
	return out
}

// hex is one of the 256 colours of terminals: after the first 16 a cube of
// 6 by 6 by 6, then greys.
func hex(number string) string {
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || n < 16:
		return ink
	case n >= 232:
		grey := 8 + (n-232)*10
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
	level := func(i int) int {
		if i == 0 {
			return 0
		}
		return 55 + 40*i
	}
	n -= 16
	return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
}

func escaped(s string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.String()
}
