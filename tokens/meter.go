package tokens

// Meter counts one message by its texts, which may come in pieces: a message is
// counted where it is, decoded or as bytes of a log, and the sum is the same.
type Meter interface {
	Add(piece []byte)      // more of a text, whole characters; it is not kept
	AddASCII(piece []byte) // the same, of ASCII alone
	End()                  // the text is over
	Image()                // an image
	Total() int64          // of all that was added, in tokens
	Reset()                // the next message
}

// NewMeter returns a meter that counts as Default does.
func NewMeter() Meter { return new(quarters) }
