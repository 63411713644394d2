package rawjson

import "iter"

// Mark is a bracket or a string of a value: v[From:To], as written.
type Mark struct {
	From, To    int
	Open, Close bool // a bracket
	Name        bool // the name of a member
}

// Marks walks the brackets and the strings of a value in order, at any depth.
func Marks(v []byte) iter.Seq[Mark] {
	return func(yield func(Mark) bool) {
		for i := 0; i < len(v); {
			m := Mark{From: i, To: i + 1}
			switch v[i] {
			case '"':
				m.To = stringEnd(v, i)
				after := skipSpace(v, m.To)
				m.Name = after < len(v) && v[after] == ':'
			case '{', '[':
				m.Open = true
			case '}', ']':
				m.Close = true
			default:
				i++
				continue
			}
			if !yield(m) {
				return
			}
			i = m.To
		}
	}
}
