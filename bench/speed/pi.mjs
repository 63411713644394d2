// One measured step of pi in a process of its own: node pi.mjs PI_HOME STEP FILE. Prints what measure.go prints.
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const repeats = 3;
const [home, step, file] = process.argv.slice(2);
const dist = ["@earendil-works", "@mariozechner"].map((n) => `${home}/node_modules/${n}/pi-coding-agent/dist`).find(existsSync);
if (!dist) throw new Error(`no pi-coding-agent under ${home}`);
const load = (p) => import(pathToFileURL(dist + p).href);
const { SessionManager } = await load("/core/session-manager.js");
const { prepareCompaction } = await load("/core/compaction/index.js");

const steps = {
  idle: () => "",
  context: () => `${SessionManager.open(file).buildSessionContext().messages.length} messages`,
  plan: () => {
    const p = prepareCompaction(SessionManager.open(file).getBranch(), { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 });
    return p ? `${p.messagesToSummarize.length}+${p.turnPrefixMessages.length} summarized, kept from ${p.firstKeptEntryId}` : "nothing-to-compact";
  },
};
const peak = () => existsSync("/proc/self/status") ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) * 1024 : 0;

if (step !== "idle") for await (const _ of createReadStream(file)); // into the page cache
const result = { ms: [], peakBytes: 0, answer: "" };
for (let i = 0; i < repeats; i++) {
  const start = process.hrtime.bigint();
  result.answer = steps[step]();
  result.ms.push(Number(process.hrtime.bigint() - start) / 1e6);
  result.peakBytes ||= peak();
}
console.log(JSON.stringify(result));
