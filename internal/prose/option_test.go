package prose

import "testing"

func TestOption(t *testing.T) {
	for sentence, want := range map[string]string{
		"Option B, one joined query.":           "Option B",
		"Let's go with option 2: polling.":      "Let's go with option 2",
		"Variante 2, eine Warteschlange.":       "Variante 2",
		"Wir nehmen Lösung A.":                  "Wir nehmen Lösung A",
		"La opción B, una sola consulta.":       "La opción B",
		"Вариант 2, один запрос.":               "Вариант 2",
		"方案二，用消息队列。":                            "方案二，",
		"B案でお願いします。":                            "B案",
		"Options are listed below.":             "",
		"The option to sort is gone.":           "",
		"We plan a release.":                    "",
		"Plan the release.":                     "",
		"An option B would be polling instead.": "",
	} {
		if got := Option(sentence); got != want {
			t.Errorf("%q: %q, want %q", sentence, got, want)
		}
	}
}
