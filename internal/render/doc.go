// Package render is the pipeline before a model call, in order: prune,
// compact, cache points.
//
// It decides and writes nothing: Next says which reduction a view needs, the
// caller makes it and asks again, and Request is what then goes out. So the
// same view leads to the same steps, no matter who asks.
package render
