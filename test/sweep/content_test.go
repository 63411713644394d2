package sweep

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

func partName(n int) string { return fmt.Sprintf("part-%04d", n) }
func headOf(n int) string   { return "HEAD-OF-" + partName(n) }
func tailOf(n int) string   { return "TAIL-OF-" + partName(n) }

// pixel is a small PNG.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAQUBAScY42YAAAAASUVORK5CYII="

// maxPart is less than the size at which an agent cuts results, in bytes.
const maxPart = 40 << 10

// part is what the tool returns for a part: about the given number of tokens of
// one kind of content, with marks at both ends.
func part(n int, tokens int64) string {
	rnd := rand.New(rand.NewPCG(uint64(n), 7))
	kind := kinds[n%len(kinds)]
	var b strings.Builder
	b.WriteString(headOf(n) + "\n")
	for counted := int64(0); counted < tokens && b.Len() < maxPart; {
		line := kind(rnd)
		b.WriteString(line + "\n")
		counted += int64(o200k()(line)) + 1
	}
	b.WriteString(tailOf(n))
	return b.String()
}

var words = strings.Fields("the service reads a queue and writes each order to the ledger before it answers retries are counted by key so that no payment is made twice when a worker dies in the middle of its work")

func pick(r *rand.Rand, n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = words[r.IntN(len(words))]
	}
	return strings.Join(out, " ")
}

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.UintN(256))
	}
	return b
}

// kinds make one line each.
var kinds = []func(r *rand.Rand) string{
	func(r *rand.Rand) string { return pick(r, 14) + "." },
	func(r *rand.Rand) string {
		return fmt.Sprintf("\tif err := store.Put(ctx, key%d, order.Items[%d]); err != nil {\n\t\treturn fmt.Errorf(\"put %%s: %%w\", key, err)\n\t}", r.IntN(99), r.IntN(9))
	},
	func(r *rand.Rand) string { return strings.Repeat("=", 60+r.IntN(40)) },
	func(r *rand.Rand) string {
		return fmt.Sprintf(`    {"id": %d, "state": "open", "total": %d.%02d, "tags": ["a", "b"]},`, r.IntN(1e6), r.IntN(999), r.IntN(100))
	},
	func(r *rand.Rand) string { return fmt.Sprintf("%x", random(r, 32)) },
	func(r *rand.Rand) string { return base64.StdEncoding.EncodeToString(random(r, 57)) },
	func(r *rand.Rand) string {
		return "注文は台帳に書き込まれ、支払いは一度だけ行われます。" + strings.Repeat("確認", r.IntN(4))
	},
	func(r *rand.Rand) string { return fmt.Sprintf("%d %d %d", r.Uint64(), r.Uint64(), r.Uint64()) },
	func(r *rand.Rand) string { return strings.Repeat(" ", 80+r.IntN(80)) + "|" },
	func(r *rand.Rand) string {
		return fmt.Sprintf("2026-01-02T03:04:%02d.%03dZ INFO worker=%d msg=%q", r.IntN(60), r.IntN(1000), r.IntN(16), pick(r, 5))
	},
	func(r *rand.Rand) string {
		return "Очередь читает заказы и записывает их в журнал " + pick(r, 2)
	},
	func(r *rand.Rand) string {
		return "├── " + strings.Repeat("─", r.IntN(30)) + " 📦 " + pick(r, 2)
	},
}
