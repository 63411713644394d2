// Package provider talks to models over HTTP: it streams calls through a
// dialect of package wire, knows the windows and prices of models, and judges
// what a refusal means.
//
// Three parts can be used alone:
//
//   - Classify turns an error answer into a message.Fault: a class that says
//     what to do, and the numbers that the text named. It is pure.
//   - Catalog says what is known about a model, and from which source.
//   - Client makes calls; Registry builds a Client for "provider/id" from
//     settings and keys. Every failure of a call is a *message.Fault.
//
// Nothing here reads the environment, a file or the clock by itself: keys
// come from a function that the caller passes in.
package provider
