// Quick start: an agent that works the queue, in three steps. Each says by
// itself whether it is done, by asking the server again and again while the
// panel is open.

import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import * as api from "./api";
import { Presence } from "./jobs";
import * as s from "./state";
import { Button, Chip, Copy, Icon, providerLabel } from "./ui";
import { plural } from "./words";
import type { SkillProbe } from "./wire";

const probe = signal<SkillProbe | "absent" | null>(null);
const provider = signal<string | null>(null);

function chosen(): string {
  return provider.value ?? s.lens.value?.activeProvider ?? "claude";
}

export async function watch() {
  const quietly = <T,>(work: Promise<T>, put: (v: T) => void) => work.then(put, () => {});
  await Promise.all([
    quietly(api.health(), (v) => (s.health.value = v)),
    quietly(api.mcpStatus(), (v) => (s.mcp.value = v)),
    quietly(api.presence(), (v) => (s.presence.value = v)),
    quietly(api.config(), (v) => (s.wantsMcp.value = v.value?.mcp?.server?.enabled === true)),
    api.skillProbe(chosen()).then(
      (v) => (probe.value = v),
      (err) => {
        if (api.isAbsent(err)) probe.value = "absent";
      },
    ),
  ]);
}

export function QuickStart() {
  useEffect(() => {
    let gone = false;
    let timer = 0;
    const turn = async () => {
      if (document.visibilityState === "visible") await watch();
      if (!gone) timer = window.setTimeout(turn, 2000);
    };
    void turn();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [provider.value]);

  const lenses = s.lens.value?.selectable ?? [];
  const who = chosen();
  const skill = probe.value;
  const skillDone = skill !== null && skill !== "absent" && skill.installed && !skill.stale;
  const mcp = s.mcp.value;
  const mcpOn = mcp?.enabled === true;
  const connected = mcp?.connected === true;
  const attending = s.presence.value?.attending === true;
  return (
    <div class="drawer-inner start">
      <p class="lead">Let your own agent work on this project: it takes jobs from the queue here and reports what it found. Nothing leaves this machine but by your agent.</p>
      {lenses.length > 1 && (
        <label class="pick">
          <span>Your agent</span>
          <select value={who} onChange={(e) => (provider.value = (e.currentTarget as HTMLSelectElement).value)}>
            {lenses.map((l) => (
              <option key={l} value={l}>
                {providerLabel(l)}
              </option>
            ))}
          </select>
        </label>
      )}
      <Step n={1} title="Teach it the queue" done={skillDone} waiting={skill === null}>
        <p>A skill tells your agent how to take a job, do it and report.</p>
        <InstallSkill who={who} probe={skill} />
      </Step>
      <Step n={2} title="Connect it over MCP" done={connected} waiting={mcp === null}>
        {!mcpOn ? <SwitchOn /> : <Connect who={who} url={mcp!.url} clients={mcp!.clients} />}
      </Step>
      <Step n={3} title="See it answer" done={attending} waiting={s.presence.value === null}>
        <p>Tell your agent to work the queue, for example with the words below. The first job it finishes ticks this off.</p>
        <Copy label="What to tell the agent" text="Use the sm-process-jobs skill and work the queue until it is empty." block />
        <AskPing />
      </Step>
      <Presence />
    </div>
  );
}

function Step({ n, title, done, waiting, children }: { n: number; title: string; done: boolean; waiting: boolean; children: ComponentChildren }) {
  return (
    <section class={"step" + (done ? " is-done" : "")} aria-label={title}>
      <div class="step-head">
        <span class="step-n">{done ? <Icon name="check" /> : n}</span>
        <h3>{title}</h3>
        <span class="step-state" role="status">
          {done ? <Chip tone="ok">done</Chip> : waiting ? <Chip>looking…</Chip> : <Chip>to do</Chip>}
        </span>
      </div>
      <div class="step-body">{children}</div>
    </section>
  );
}

function InstallSkill({ who, probe: p }: { who: string; probe: SkillProbe | "absent" | null }) {
  const busy = useSignal(false);
  const command = "sm agent install";
  if (p !== null && p !== "absent" && p.installed) {
    return (
      <p>
        {p.stale ? "It is there, but older than this program." : "It is there"}
        {p.skillDir && (
          <>
            {": "}
            <code>{p.skillDir}</code>
          </>
        )}
        {p.stale && <Copy label="Command that brings the skill up to date" text={command} block />}
      </p>
    );
  }
  return (
    <>
      <Copy label="Command that installs the skill" text={command} block />
      {p !== null && p !== "absent" && p.supported && (
        <Button
          small
          busy={busy.value}
          onClick={async () => {
            busy.value = true;
            try {
              await api.installSkill(who);
              s.tellUser("The skill is installed.", "good");
            } catch (err) {
              s.tellUser(api.textOf(err), "bad");
            }
            busy.value = false;
            await watch();
          }}
        >
          Install it now
        </Button>
      )}
      {p === "absent" && <p class="hint">This server cannot see whether it is there; step 3 will show.</p>}
    </>
  );
}

function SwitchOn() {
  const wants = s.wantsMcp.value === true;
  if (wants) {
    return (
      <>
        <p>MCP is switched on in the settings. Stop <code>sm serve</code> and start it again, and this step goes on.</p>
        <Copy label="Command that starts the server" text="sm serve" block />
      </>
    );
  }
  return (
    <>
      <p>MCP is off. Switch it on for this project, then start the server again:</p>
      <Copy label="Command that switches MCP on" text="sm config set mcp.server.enabled true" block />
      <Button
        small
        onClick={async () => {
          try {
            await api.switchMcp(true);
            s.tellUser("Switched on. Start sm serve again.", "good");
          } catch (err) {
            s.tellUser(api.isAbsent(err) ? "This server cannot change settings. Use the command." : api.textOf(err), "bad");
          }
          await watch();
        }}
      >
        Switch it on
      </Button>
    </>
  );
}

function Connect({ who, url, clients }: { who: string; url: string; clients: number }) {
  const reg = s.registries.value.providerRegistry[who]?.mcpRegister;
  const fill = (v: unknown): unknown =>
    typeof v === "string" ? v.replaceAll("{{url}}", url) : Array.isArray(v) ? v.map(fill) : v && typeof v === "object" ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, fill(x)])) : v;
  return (
    <>
      {clients > 0 ? <p>{plural(clients, "client is", "clients are")} connected at <code>{url}</code>.</p> : <p>The server listens at <code>{url}</code> and nobody is connected. Tell your agent of it:</p>}
      {reg?.kind === "command" && reg.command && <Copy label="Command that connects the agent" text={reg.command.template.replaceAll("{{url}}", url)} block />}
      {reg?.kind === "config" && reg.config && (
        <>
          <p>
            Put this into <code>{reg.config.target}</code>:
          </p>
          <Copy label="Settings that connect the agent" text={JSON.stringify(fill(reg.config.document), null, 2)} block />
        </>
      )}
      {!reg && <Copy label="Address of the MCP server" text={url} block />}
    </>
  );
}

function AskPing() {
  const asked = useSignal(false);
  return (
    <Button
      small
      disabled={asked.value}
      onClick={async () => {
        asked.value = true;
        try {
          await api.ping();
          s.tellUser("A ping waits in the queue. An agent that takes it answers here.");
        } catch (err) {
          s.tellUser(api.isAbsent(err) ? "This server has no ping. Give it a job on a node instead." : api.textOf(err), api.isAbsent(err) ? "plain" : "bad");
        }
        setTimeout(() => (asked.value = false), 4000);
      }}
    >
      Ask whether one is there
    </Button>
  );
}
