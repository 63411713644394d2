package prose

import "github.com/coppice-dev/coppice/internal/lazy"

// optionLabel is how a way among several is called: "Option B", "Variante 2",
// "方案二".
var optionLabel = lazy.Regexp(`^(?i:(?:(?:let's |we |i )?(?:go with|take|pick|use|prefer|nimm|wir nehmen|on prend|vamos con|vamos com|возьмём|选|用) )?(?:the |die |den |das |la |el |a |o |l')?` +
	`(?:option|variant|variante|alternative|approach|plan|lösung|weg|solution|approche|opción|alternativa|solución|opção|solução|вариант|план|способ) ` +
	`(?:[A-Z]|[0-9]{1,2}|one|two|three|eins|zwei|drei|un|deux|trois|uno|dos|tres|um|dois|três))\b|^(?:方案|选项|選択肢|案|옵션|방안)\s?(?:[A-Za-z]|[0-9]{1,2}|[一二三四五])(?:[^\pL]|$)|^(?:[A-Z0-9]|[一二三四五])(?:案|안)`)

// Option is the label of a way among several that a sentence begins with, or
// "".
func Option(sentence string) string { return optionLabel().FindString(sentence) }
