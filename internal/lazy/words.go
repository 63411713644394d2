package lazy

// Words is a small set of words. Unlike a map it costs nothing when the program
// starts.
type Words []string

// Has reports whether a word is in the set.
func (s Words) Has(word string) bool {
	for _, w := range s {
		if w == word {
			return true
		}
	}
	return false
}
