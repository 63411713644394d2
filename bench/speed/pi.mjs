// One measured step of pi in a process of its own: node pi.mjs PI_HOME STEP FILE. Prints what measure.go prints.
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const repeats = 3, patience = 4000;
const [home, step, file] = process.argv.slice(2);
const dist = ["@earendil-works", "@mariozechner"].map((n) => `${home}/node_modules/${n}/pi-coding-agent/dist`).find(existsSync);
if (!dist) throw new Error(`no pi-coding-agent under ${home}`);
const load = (p) => import(pathToFileURL(dist + p).href);
const { SessionManager } = await load("/core/session-manager.js");
const { prepareCompaction } = await load("/core/compaction/index.js");

const countEnds = (roots) => {
  let entries = 0, ends = 0;
  for (const stack = [...roots]; stack.length; ) {
    const node = stack.pop();
    entries++;
    if (!node.children.length) ends++;
    for (const child of node.children) stack.push(child);
  }
  return `${entries} entries, roots: ${roots.length}, ends: ${ends}`;
};
const steps = {
  idle: () => "",
  context: () => `${SessionManager.open(file).buildSessionContext().messages.length} messages`,
  plan: () => {
    const p = prepareCompaction(SessionManager.open(file).getBranch(), { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 });
    return p ? `${p.messagesToSummarize.length}+${p.turnPrefixMessages.length} summarized, kept from ${p.firstKeptEntryId}` : "nothing-to-compact";
  },
  tree: () => countEnds(SessionManager.open(file).getTree()),
  list: async () => {
    const sessions = await SessionManager.list("/srv/proj", file);
    return `${sessions.length} sessions, newest of ${sessions[0]?.modified.toISOString()}`;
  },
};
const peak = () => existsSync("/proc/self/status") ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) * 1024 : 0;
const since = (start) => Number(process.hrtime.bigint() - start) / 1e6;
const result = { ms: [], peakBytes: 0, answer: "" };

const measureRepeats = async () => {
  const begin = process.hrtime.bigint();
  for (let i = 0; i < repeats && since(begin) < patience; i++) {
    const start = process.hrtime.bigint();
    result.answer = await steps[step]();
    result.ms.push(since(start));
    result.peakBytes ||= peak();
  }
};

const measureAppends = () => {
  const uncounted = 20, counted = 300, before = statSync(file).size, body = "x".repeat(1200);
  const session = SessionManager.open(file);
  for (let i = 0; i < uncounted + counted; i++) {
    const message = { role: "assistant", content: [{ type: "text", text: body }], api: "anthropic-messages", provider: "anthropic", model: "test",
      usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } }, stopReason: "stop", timestamp: Date.now() };
    const start = process.hrtime.bigint();
    session.appendMessage(message);
    if (i >= uncounted) result.ms.push(since(start));
  }
  result.peakBytes = peak();
  let lines = 0; // counted in the file, behind what was there
  return new Promise((resolve, reject) => createReadStream(file, { start: before }).on("error", reject)
    .on("data", (chunk) => { for (const c of chunk) if (c === 10) lines++; })
    .on("end", () => { result.answer = `${lines} lines more`; resolve(); }));
};

const files = step === "list" ? readdirSync(file).map((name) => join(file, name)) : [file];
if (step !== "idle") for (const f of files) for await (const _ of createReadStream(f)); // into the page cache
await (step.startsWith("append") ? measureAppends() : measureRepeats());
console.log(JSON.stringify(result));
