// .skill-map/activity: tells sm what this agent does, so that the map can show
// it. `sm activity uninstall opencode` removes this file.
//
// It tells nobody but a port of this machine, the one that
// .skill-map/serve.json names, and only what stands in "told". Nothing here may
// ever disturb the agent: it waits for nobody and keeps every error to itself.
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";

const loopback = new Set(["127.0.0.1", "localhost", "::1"]);

// What is told of the arguments of each tool.
const told = {
  read: ["filePath"], write: ["filePath"], edit: ["filePath"], multiedit: ["filePath"],
  patch: ["patchText"], skill: ["name"], task: ["subagent_type", "prompt"],
};

function server(root) {
  try {
    const info = JSON.parse(readFileSync(join(root, ".skill-map", "serve.json"), "utf8"));
    if (!loopback.has(info.host) || realpathSync(info.scopeRoot) !== realpathSync(root)) return null;
    const host = info.host.includes(":") ? `[${info.host}]` : info.host;
    return { url: `http://${host}:${info.port}/api/activity`, token: info.token };
  } catch {
    return null;
  }
}

function tell(root, event) {
  const to = server(root);
  if (!to) return;
  fetch(to.url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Skill-Map-Token": to.token },
    body: JSON.stringify({ provider: "opencode", event }),
    signal: AbortSignal.timeout(1500),
    redirect: "error",
  }).catch(() => {});
}

export const SkillMapActivity = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    if (!Object.hasOwn(told, input.tool)) return;
    const args = Object.fromEntries(told[input.tool].map((name) => [name, output.args?.[name]]));
    tell(directory, { hook_event_name: "PreToolUse", session_id: input.sessionID, tool_use_id: input.callID, tool_name: input.tool, tool_input: args });
  },
  "tool.execute.after": async (input, output) => {
    if (input.tool !== "task") return;
    tell(directory, { hook_event_name: "PostToolUse", session_id: input.sessionID, tool_use_id: input.callID, tool_name: input.tool, tool_response: { content: output.output } });
  },
  event: async ({ event }) => {
    const session = event.properties?.sessionID ?? event.properties?.info?.id;
    if (event.type === "session.idle") tell(directory, { hook_event_name: "Stop", session_id: session });
    if (event.type === "session.deleted") tell(directory, { hook_event_name: "SessionEnd", session_id: session });
  },
});
