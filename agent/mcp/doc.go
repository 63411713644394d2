// Package mcp makes the tools of MCP servers tools of an agent (docs/agent.md).
//
// A server is a program that is started, an address of streamable HTTP, or a
// stream of the embedder's own. Its tools are named server__tool, with the
// schema of their arguments byte for byte as the server wrote it. No tool
// counts as one that changes nothing, whatever the server claims: the agent
// asks before each call, as before a command.
//
// A server's failure affects only that server. One that cannot be started has
// no tools; a call to one that dies or hangs is a failed result for the model;
// both are reported. A server that has ended is started again by the next
// call.
//
// It is a separate package so that only programs that want the protocol link
// it.
package mcp
