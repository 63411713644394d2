package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tab is a page loaded from disk, with everything it did besides showing itself.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests map[network.RequestID]string // anything except the file and its contents, unless it was forbidden
	shouts   []string                     // dialogs, exceptions, and what was refused or went wrong
}

// browse opens a file in a new headless Chromium with its own profile.
func browse(t *testing.T, file, hash string) *tab {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a browser, which -short leaves out (testing.Short)")
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil && program == "" {
			program = p
		}
	}
	if program == "" {
		t.Skip("needs chromium: not installed")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1300, 900),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	alloc, cancel := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, requests: map[network.RequestID]string{}}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	b.do(chromedp.Navigate("file://"+filepath.ToSlash(file)+hash), chromedp.WaitVisible(chromedp.CSS(`html[data-ready="yes"]`)))
	return b
}

func (b *tab) listen(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		if u := ev.Request.URL; !strings.HasPrefix(u, "file://") && !strings.HasPrefix(u, "data:image/") {
			b.requests[ev.RequestID] = u
		}
	case *network.EventLoadingFailed:
		if ev.BlockedReason == network.BlockedReasonCsp {
			delete(b.requests, ev.RequestID)
		}
	case *page.EventJavascriptDialogOpening:
		b.shouts = append(b.shouts, "dialog: "+ev.Message)
		go chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{}) // a listener must not wait
	case *runtime.EventExceptionThrown:
		b.shouts = append(b.shouts, "exception: "+ev.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.shouts = append(b.shouts, fmt.Sprintf("console: %s", ev.Type))
	}
}

// quiet asserts that the page requested nothing and that nothing in it ran.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.requests) > 0 {
		b.t.Errorf("the page asked for %q", b.requests)
	}
	if len(b.shouts) > 0 {
		b.t.Errorf("the page did something of its own: %q", b.shouts)
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// call sends a command of the browser's protocol.
func call[P, R any](b *tab, cmd cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, cmd, params); err != nil {
		b.t.Fatal(err)
	}
}

// js runs statements in the page.
func (b *tab) js(statements string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](statements))
}

// text evaluates an expression as text.
func (b *tab) text(expr string) string {
	b.t.Helper()
	s, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expr+")"))
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// is asserts that an expression has, or comes to have, a value. The page is asked
// again at each frame; the limit only makes a failing test end.
func (b *tab) is(expr, want string) {
	b.t.Helper()
	const frames = 600
	ask := fmt.Sprintf(`(async () => {
		for (let n = 0; n < %d && String(%s) !== %s; n++) await new Promise(done => setTimeout(() => requestAnimationFrame(done), 10));
	})()`, frames, expr, jsQuote(want))
	b.do(chromedp.Evaluate[chromedp.Void](ask, chromedp.EvalAwaitPromise))
	if got := b.text(expr); got != want {
		b.t.Errorf("%s is %.300q, want %.300q", expr, got, want)
	}
}

// click clicks the first element that a selector finds.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.do(chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector)))
}

// typing sends keys to an element.
func (b *tab) typing(id, keys string) {
	b.t.Helper()
	b.do(chromedp.SendKeys(chromedp.ID(id), keys))
}

// choose chooses a filter.
func (b *tab) choose(filter string) {
	b.t.Helper()
	b.js(fmt.Sprintf(`{const f = document.getElementById("filter");
		f.value = [...f.options].find(o => o.text === %q).value;
		f.dispatchEvent(new Event("change"))}`, filter))
}

// key presses a key where the focus is.
func (b *tab) key(key string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(key))
}

// shot saves a picture of the page for people to look at, if COPPICE_SHOTS names
// a folder.
func (b *tab) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("COPPICE_SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) dark() {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
}

const (
	rowCount  = `document.querySelectorAll("#talk article, #talk .divider").length`
	nodeTexts = `[...document.querySelectorAll("#tree .node bdi")].map(n => n.textContent).join("|")`
	found     = `document.getElementById("found").textContent`
	here      = `document.querySelector("#talk .here .text")?.textContent`
)

func TestFiltersSearchAndFolds(t *testing.T) {
	b := browse(t, exportPage(t, branched(t)), "")
	b.is(found, "9 entries")
	for filter, want := range map[string]string{
		"No tools":     "7 entries",
		"User only":    "3 entries",
		"Labeled only": "1 entry",
		"All":          "12 entries",
		"Default":      "9 entries",
	} {
		b.choose(filter)
		b.is(found, want)
	}
	b.choose("Default")
	b.key("/")
	b.is(`document.activeElement.id`, "search")
	b.typing("search", kb.Escape+"needle LINE 77") // the browser's protocol types the slash, too
	b.is(found, "1 entry found")
	b.is(nodeTexts, "bash make")
	b.key(kb.Enter)
	b.is(`document.activeElement.id`, "tree")
	b.key(kb.Enter)
	b.is(`document.querySelector("#talk .here .who").textContent`, "Result · bash")
	b.shot("search")
	// the output is folded, and opens
	const output = `document.querySelector("#talk .here pre").textContent`
	b.is(output+`.includes("needle")`, "false")
	b.click("#talk .here button.more")
	b.is(output+`.includes("needle")`, "true")
	b.is(`document.querySelector("#talk .here button.more").textContent`, "Fold")
	b.click("#unfold")
	b.is(`[...document.querySelectorAll("button.more")].every(b => b.textContent === "Fold")`, "true")
	// escape shows everything again
	b.typing("search", kb.Escape)
	b.is(found, "9 entries")
	b.is(`document.querySelectorAll("#talk img").length`, "1")
	b.is(`document.querySelector("#talk img").naturalWidth`, "1")
	b.quiet()
}

func TestSwitchAndDivider(t *testing.T) {
	b := browse(t, exportPage(t, compacted(t)), "")
	b.is(rowCount, "7")
	b.shot("said")
	b.click(`#mode label:nth-of-type(2)`)
	b.is(rowCount, "3") // summary, and the two that were kept
	b.is(`document.querySelector("#talk .divider details").open`, "true")
	b.is(`document.querySelector("#talk .divider pre").textContent`, "what was said about apples")
	b.click("#talk button.open")
	b.is(rowCount, "7")
	b.is(`document.querySelectorAll("#talk article.inside").length`, "4")
	b.shot("opened")
	b.dark()
	b.shot("opened-dark")
	b.is(`document.activeElement.className`, "open") // the keyboard stays where it was
	b.key(kb.Enter)
	b.is(rowCount, "3")
	b.click(`#mode label:nth-of-type(1)`)
	b.is(rowCount, "7")
	b.quiet()
}

func TestLinks(t *testing.T) {
	s := branched(t)
	b := browse(t, exportPage(t, s), "#"+entryID(t, s, "the other idea"))
	b.is(here, "the other idea")
	b.is(`document.querySelector("#tree .at").textContent.includes("the other idea")`, "true")
	b.shot("link")
	// a click in the tree goes to the entry and changes the address
	b.js(`[...document.querySelectorAll("#tree .node")].find(n => n.textContent.includes("first question")).click()`)
	b.is(here, "first question")
	b.is(`location.hash`, "#"+entryID(t, s, "first question"))
	b.js(`location.hash = "#"+` + fmt.Sprintf("%q", entryID(t, s, "second question")))
	b.is(here, "second question")
	// folding with the keyboard
	b.do(chromedp.Focus(chromedp.ID("tree")))
	b.key(kb.Home)
	before := b.text(found)
	b.key(kb.ArrowLeft)
	b.is(found, "1 entry")
	b.key(kb.ArrowRight)
	b.is(found, before)
	b.quiet()
}

// The contents of a session can do nothing: they run nothing, load nothing, and
// stay inside their place.
func TestHostileSessionIsInert(t *testing.T) {
	file := exportPage(t, hostile(t))
	b := browse(t, file, "")
	b.is(`document.querySelectorAll("script:not([type]), iframe, object, embed, form, base, link, talk img").length`, "1")
	b.is(`document.querySelectorAll("#talk img").length`, "0")
	b.is(`window.pwned`, "undefined")
	b.is(`document.title.includes("</script>")`, "true")
	for i, text := range hostileTexts() {
		want := fmt.Sprintf(`[...document.querySelectorAll("#talk pre")].some(p => p.textContent === %s || p.textContent === %s.slice(0, p.textContent.length) && p.textContent.length >= 1000)`, jsQuote(text), jsQuote(text))
		if got := b.text(want); got != "true" {
			t.Errorf("text %d is not shown as it is: %.60q", i, text)
		}
	}
	b.is(`document.documentElement.scrollWidth <= innerWidth`, "true") // the long line wraps
	b.shot("hostile")
	b.click("#unfold")
	b.is(`[...document.querySelectorAll("#talk pre")].some(p => p.textContent.length === 1 << 20)`, "true")
	b.typing("search", "onerror")
	b.is(found, "3 entries found") // the text, the call, and its result by the call
	// nor can a script that is inserted later: the policy forbids it
	b.js(`{const s = document.createElement("script"); s.textContent = "window.pwned = 1"; document.body.append(s);
		const i = document.createElement("img"); i.src = "https://example.org/x.png"; document.body.append(i);
		document.body.setAttribute("onclick", "window.pwned = 2"); document.body.click()}`)
	b.is(`window.pwned`, "undefined")
	b.quiet()
}

// Only what is near the visible part is in the document, however long the session
// is.
func TestTenThousandEntries(t *testing.T) {
	const n = 12_000
	s := long(t, n)
	b := browse(t, exportPage(t, s), "")
	b.is(found, "12,000 entries")
	few := func() {
		t.Helper()
		b.is(`document.querySelectorAll("#tree .node").length < 200`, "true")
		b.is(rowCount+` > 0 && `+rowCount+` < 600`, "true")
	}
	few()
	b.js(`document.getElementById("talk").scrollTop = 1e9`)
	b.is(`[...document.querySelectorAll("#talk .text")].some(p => p.textContent.startsWith("message 11999 "))`, "true")
	few()
	b.js(`location.hash = "#"+` + fmt.Sprintf("%q", entryID(t, s, "message 6000 ")))
	b.is(here+`.startsWith("message 6000 ")`, "true")
	b.is(`(r => r.top >= 0 && r.top < innerHeight / 2)(document.querySelector("#talk .here").getBoundingClientRect())`, "true")
	few()
	b.typing("search", "word4321")
	b.is(found, "1 entry found")
	b.shot("long")
	b.do(chromedp.EmulateViewport(420, 800))
	b.shot("narrow")
	b.click("#menu")
	b.is(`getComputedStyle(document.getElementById("side")).display`, "flex")
	b.shot("narrow-tree")
	b.quiet()
}

func TestEmptySession(t *testing.T) {
	b := browse(t, exportPage(t, empty(t)), "#nothing")
	b.is(`document.querySelector("#talk .empty").textContent`, "Nothing was said in this session.")
	b.is(found, "0 entries")
	b.quiet()
}
