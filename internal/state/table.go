package state

// table is a small table with words as keys, in any order. Unlike a map it
// costs nothing when the program starts.
type table[V any] []row[V]

// row is a row of a table.
type row[V any] struct {
	key   string
	value V
}

// get returns the value of a key, and whether there is one.
func (t table[V]) get(key string) (v V, ok bool) {
	for i := range t {
		if t[i].key == key {
			return t[i].value, true
		}
	}
	return v, false
}

// of returns the value of a key, or the zero value.
func (t table[V]) of(key string) V {
	v, _ := t.get(key)
	return v
}
