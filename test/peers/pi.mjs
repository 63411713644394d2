// Opens a session file with an installed pi and prints what pi makes of it,
// as one JSON line. PI_HOME is the folder that holds node_modules.
//
//   node pi.mjs read FILE     entries, leaf and context
//   node pi.mjs append FILE   the same, after pi has appended a turn
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [command, file] = process.argv.slice(2);
const home = process.env.PI_HOME;
const dist = ["@earendil-works", "@mariozechner"]
  .map((owner) => `${home}/node_modules/${owner}/pi-coding-agent/dist`)
  .find((dir) => existsSync(dir));
if (!dist) throw new Error(`no pi under ${home}`);
const { SessionManager } = await import(pathToFileURL(`${dist}/core/session-manager.js`).href);

const session = SessionManager.open(file);
if (command === "append") {
  const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  session.appendMessage({ role: "user", content: [{ type: "text", text: "from pi" }], timestamp: 1 });
  session.appendMessage({
    role: "assistant", content: [{ type: "text", text: "pi answers" }], api: "x", provider: "p", model: "m",
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: zero }, stopReason: "stop", timestamp: 2,
  });
}
const text = (content) => typeof content === "string" ? content : (content ?? []).filter((b) => b.type === "text").map((b) => b.text).join("\n");
const calls = (content) => Array.isArray(content) ? content.filter((b) => b.type === "toolCall").map((b) => b.id) : [];
console.log(JSON.stringify({
  entries: session.getEntries().map((e) => ({ id: e.id, parentId: e.parentId, type: e.type })),
  leaf: session.getLeafId(),
  messages: session.buildSessionContext().messages.map((m) => ({
    role: m.role, text: m.summary ?? m.command ?? text(m.content), calls: calls(m.content), stop: m.stopReason ?? "", call: m.toolCallId ?? "",
  })),
}));
