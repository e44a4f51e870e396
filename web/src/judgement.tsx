// What is judged of a node: issues of rules, findings of agents, and the jobs
// that make them. Some of it writes to the sidecar, which asks for consent.

import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as act from "./act";
import * as api from "./api";
import * as host from "./host";
import { LineAt } from "./line";
import * as s from "./state";
import { Absent, Button, Chip, Dialog, Icon, Mark, Section } from "./ui";
import { ago, nice, plural } from "./words";
import type { Finding, FindingList, Issue, Launcher, Launchers, Summary } from "./wire";

// --- consent

interface Ask {
  what: string;
  path: string;
  yes: (c: api.Consent) => void;
}
const asked = signal<Ask | null>(null);

// withConsent does something that may write to a sidecar, and asks when the
// server says that nobody allowed it yet.
export async function withConsent(what: string, path: string, run: (c: api.Consent) => Promise<unknown>, done: () => void) {
  const go = async (c: api.Consent) => {
    try {
      await run(c);
      done();
    } catch (err) {
      if (err instanceof api.Refusal && err.status === 412 && !c.confirm && !c.always) asked.value = { what, path, yes: (c) => void go(c) };
      else s.tellUser(api.isAbsent(err) ? "This server does not do that yet." : api.textOf(err), "bad");
    }
  };
  await go({});
}

export function ConsentDialog() {
  const a = asked.value;
  if (!a) return null;
  const yes = (c: api.Consent) => {
    asked.value = null;
    a.yes(c);
  };
  return (
    <Dialog title="Write to the sidecar?" onClose={() => (asked.value = null)}>
      <p>
        {a.what} is kept in the file beside <code>{a.path}</code>, so that it holds for everybody who works on the project. The <code>.sm</code> file is written; your file is not touched.
      </p>
      <div class="actions is-end">
        <Button tone="quiet" onClick={() => (asked.value = null)}>
          Leave it
        </Button>
        <Button onClick={() => yes({ always: true })}>Always for this project</Button>
        <Button tone="main" onClick={() => yes({ confirm: true })}>
          This once
        </Button>
      </div>
    </Dialog>
  );
}

// --- issues

export function Problems({ path, issues }: { path: string; issues: Issue[] }) {
  const order = issues.slice().sort((a, b) => rank(b) - rank(a));
  const worst = order[0]?.severity;
  return (
    <Section title="Issues" count={issues.length} tone={worst === "error" ? "error" : worst === "warn" ? "warn" : undefined} open={issues.length > 0}>
      {issues.length === 0 ? (
        <p class="none">No rule has anything against it.</p>
      ) : (
        <ul class="problems">
          {order.map((issue, i) => (
            <Problem key={i} path={path} issue={issue} />
          ))}
        </ul>
      )}
    </Section>
  );
}

const rank = (i: Issue) => ({ error: 3, warn: 2, info: 1 })[i.severity] ?? 0;

function Problem({ path, issue }: { path: string; issue: Issue }) {
  const target = typeof issue.data?.target === "string" ? issue.data.target : "";
  const { subject, lines, text } = take(issue.message);
  return (
    <li class={"problem is-" + issue.severity}>
      <Mark severity={issue.severity} />
      <div>
        <p class="problem-head">
          <code>{issue.analyzerId}</code>
          {lines.slice(0, 6).map((n) => (
            <LineAt key={n} path={path} line={n} />
          ))}
        </p>
        {subject && <p class="problem-subject">{subject}</p>}
        <p>{text}</p>
        {issue.detail && <p class="quiet">{issue.detail}</p>}
        {issue.fix?.summary && (
          <p class="problem-fix">
            <Icon name="edit" /> {plainCode(issue.fix.summary)}
          </p>
        )}
        {issue.nodeIds.length > 1 && (
          <p class="quiet">
            Also:{" "}
            {issue.nodeIds
              .filter((n) => n !== path)
              .slice(0, 6)
              .map((n) => (
                <button key={n} type="button" class="link" onClick={() => act.reveal(n)}>
                  {s.itemOf(n)?.name ?? n}
                </button>
              ))}
          </p>
        )}
        {target && !host.isForge && (
          <div class="actions">
            <Button
              small
              tone="quiet"
              icon="eye-off"
              onClick={() =>
                void withConsent(
                  "That you dismissed this issue",
                  path,
                  (c) => api.dismissIssue(path, issue.analyzerId, target, c),
                  () => {
                    s.tellUser("Dismissed.", "good");
                    act.load();
                    s.pulse.value++;
                  },
                )
              }
            >
              Dismiss
            </Button>
          </div>
        )}
      </div>
    </li>
  );
}

// take reads a message's parts: its subject, the lines, the sentence.
export function take(message: string): { subject: string; lines: number[]; text: string } {
  let rest = message;
  let subject = "";
  const m = /^`([^`]*)`:\n/.exec(rest);
  if (m) {
    subject = m[1];
    rest = rest.slice(m[0].length);
  }
  const l = /^(L[\d, L]+):\s*/.exec(rest);
  const lines = l ? [...l[1].matchAll(/\d+/g)].map((x) => Number(x[0])) : [];
  if (l) rest = rest.slice(l[0].length);
  return { subject, lines, text: rest };
}

// plainCode sets what stands in backticks as code.
function plainCode(text: string) {
  return text.split(/`([^`]*)`/).map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part));
}

// --- findings

type Bucket = "open" | "fixed" | "dismissed" | "stale";

export function Findings({ path }: { path: string }) {
  const list = useSignal<FindingList | "absent" | null>(null);
  const bucket = useSignal<Bucket>("open");
  const load = () =>
    api
      .findings(path, bucket.value === "open" ? "" : `?${bucket.value}=1`)
      .then((v) => (list.value = v))
      .catch((err) => {
        list.value = api.isAbsent(err) ? "absent" : { items: [], counts: { total: 0, dismissedExcluded: 0, fixedExcluded: 0 } };
      });
  useEffect(() => void load(), [path, bucket.value, s.pulse.value, s.sheet.value]);
  const v = list.value;
  if (v === "absent") {
    return (
      <Section title="Findings" open={false}>
        <Absent what="Here stands what your agent found in this file: contradictions, vague wording, security, and how each was settled." />
      </Section>
    );
  }
  if (!v) return null;
  return (
    <Section title="Findings" count={v.counts.total} tone={v.items.some((f) => f.severity === "error") ? "error" : v.items.length ? "warn" : undefined} open={v.items.length > 0 || bucket.value !== "open"}>
      <div class="buckets" role="group" aria-label="Which findings">
        {(["open", "stale", "fixed", "dismissed"] as Bucket[]).map((b) => (
          <button key={b} type="button" aria-pressed={bucket.value === b} onClick={() => (bucket.value = b)}>
            {b}
            {b === "fixed" && v.counts.fixedExcluded > 0 && ` ${v.counts.fixedExcluded}`}
            {b === "dismissed" && v.counts.dismissedExcluded > 0 && ` ${v.counts.dismissedExcluded}`}
          </button>
        ))}
      </div>
      {v.items.length === 0 ? (
        <p class="none">{bucket.value === "open" ? "Nothing open. Ask an agent below to look." : `None ${bucket.value}.`}</p>
      ) : (
        <ul class="problems">
          {v.items.map((f) => (
            <FindingRow key={f.id} f={f} path={path} reload={() => void load()} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function FindingRow({ f, path, reload }: { f: Finding; path: string; reload: () => void }) {
  const run = async (work: Promise<unknown>, said: string) => {
    try {
      await work;
      s.tellUser(said, "good");
      reload();
    } catch (err) {
      s.tellUser(api.textOf(err), "bad");
    }
  };
  return (
    <li class={"problem is-" + f.severity + (f.resolution === "human-decision" ? " is-asking" : "")}>
      <Mark severity={f.severity} />
      <div>
        <p class="problem-head">
          <code>{f.type}</code>
          {f.resolution && <Chip tone={f.resolution === "fixed" ? "ok" : "info"}>{f.resolution === "human-decision" ? "you decide" : f.resolution}</Chip>}
          {f.stale && <Chip tone="warn" title="The file changed since">stale</Chip>}
          <span class="quiet">{Math.round(f.confidence * 100)} %</span>
        </p>
        <p>{f.message}</p>
        {f.detail && <p class="quiet pre">{f.detail}</p>}
        {f.resolutionNote && <p class="problem-fix">{f.resolutionNote}</p>}
        <p class="quiet">
          {f.extensionId.slice(f.extensionId.indexOf("/") + 1)}
          {f.model && `, ${f.model}`}, {ago(f.generatedAt)}
        </p>
        <div class="actions">
          {f.resolution !== "fixed" && f.resolution !== "dismissed" && (
            <Button small tone="quiet" icon="check" onClick={() => void run(api.resolveFinding(path, f.id, ""), "Marked as fixed.")}>
              Fixed
            </Button>
          )}
          {f.resolution !== "dismissed" && f.origin !== "kernel" && (
            <>
              <Button small tone="quiet" icon="eye-off" onClick={() => void run(api.dismissFinding(path, f.id, false, {}), "Dismissed.")}>
                Dismiss
              </Button>
              <Button
                small
                tone="quiet"
                onClick={() => void withConsent(`That findings of this kind are dismissed`, path, (c) => api.dismissFinding(path, f.id, true, c), () => { s.tellUser("This kind is dismissed here.", "good"); reload(); })}
              >
                All of this kind
              </Button>
            </>
          )}
          {f.resolution && (
            <Button small tone="quiet" icon="undo" onClick={() => void run(api.reopenFinding(path, f.id), "Open again.")}>
              Reopen
            </Button>
          )}
        </div>
      </div>
    </li>
  );
}

// --- agents

export function Summaries({ path }: { path: string }) {
  const list = useSignal<Summary[]>([]);
  useEffect(() => {
    api
      .summary(path)
      .then((v) => (list.value = v.items))
      .catch(() => (list.value = []));
  }, [path, s.pulse.value]);
  if (list.value.length === 0) return null;
  return (
    <Section title="Summary by an agent">
      {list.value.map((x) => (
        <div key={x.summarizerActionId} class="summary">
          <p>{x.report.whatItCovers}</p>
          {x.report.keyFacts?.length ? (
            <ul class="plain-list">
              {x.report.keyFacts.map((k, i) => (
                <li key={i}>{k}</li>
              ))}
            </ul>
          ) : null}
          <p class="chips">
            {x.stale && <Chip tone="warn">the file changed since</Chip>}
            {x.report.topics?.map((t) => <Chip key={t}>{t}</Chip>)}
          </p>
          <p class="quiet">{ago(x.generatedAt)}</p>
        </div>
      ))}
    </Section>
  );
}

export function Launch({ path }: { path: string }) {
  const all = useSignal<Launchers | "absent" | null>(null);
  const autoFix = useSignal(false);
  const load = () =>
    api
      .launchers(path)
      .then((v) => (all.value = v.item))
      .catch((err) => (all.value = api.isAbsent(err) ? "absent" : null));
  useEffect(() => void load(), [path, s.pulse.value]);
  const v = all.value;
  if (v === null) return null;
  if (v === "absent") {
    return (
      <Section title="Ask an agent" open={false}>
        <Absent what="Here you give your own agent work on this file: look for contradictions, summarise, propose tags, repair references." />
      </Section>
    );
  }
  const groups: [string, Launcher[], boolean][] = [
    ["Find", v.finders, true],
    ["Repair issues", v.issueFixers, false],
    ["Other", v.standalone, false],
    ["Your skills", v.skills, false],
  ];
  const submit = async (l: Launcher, fixes: boolean) => {
    try {
      await api.submitJob(path, l.id, fixes && autoFix.value);
      s.tellUser("In the queue.", "good");
      await act.loadJobs();
      await load();
    } catch (err) {
      if (err instanceof api.Refusal && err.code === "no-processing-agent") {
        s.tellUser("No agent works the queue yet.", "bad", { label: "Set one up", run: () => (s.drawer.value = "start") });
      } else s.tellUser(api.textOf(err), "bad");
    }
  };
  return (
    <Section title="Ask an agent" open={false} count={v.finders.length + v.issueFixers.length + v.standalone.length + v.skills.length}>
      <label class="check">
        <input type="checkbox" checked={autoFix.value} onChange={() => (autoFix.value = !autoFix.value)} />
        <span class="check-text">Let it repair what it finds, too</span>
      </label>
      {groups.map(([title, list, fixes]) =>
        list.length === 0 ? null : (
          <div key={title} class="launchers">
            <h4>{title}</h4>
            <ul>
              {list.map((l) => (
                <li key={l.id} title={l.description}>
                  <span class="two-lines">
                    <span>{l.name ?? nice(l.id)}</span>
                    <span class="quiet">{l.lastJudged ? `${ago(l.lastJudged.at)}${l.lastJudged.model ? `, ${l.lastJudged.model}` : ""}` : l.description}</span>
                  </span>
                  {l.hasOpenFindings && <Mark severity={l.findingsMaxSeverity ?? "info"} />}
                  {l.state === "idle" ? (
                    <Button small icon="spark" onClick={() => void submit(l, fixes)}>
                      Ask
                    </Button>
                  ) : (
                    <Button
                      small
                      icon="stop"
                      onClick={() =>
                        l.jobId &&
                        void api.cancelJob(l.jobId).then(load, (err) => s.tellUser(api.textOf(err), "bad"))
                      }
                    >
                      {l.state}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </div>
        ),
      )}
    </Section>
  );
}

export function Past({ path }: { path: string }) {
  const jobs = s.jobs.value;
  if (!Array.isArray(jobs)) return null;
  const own = jobs.filter((j) => j.nodeId === path);
  if (own.length === 0) return null;
  return (
    <Section title="Jobs" count={own.length} open={false}>
      <ul class="plain-list node-list">
        {own.slice(0, 20).map((j) => (
          <li key={j.id}>
            <span class={"job-state is-" + j.status}>{j.status}</span>
            <span class="two-lines">
              <span>{nice(j.extensionId)}</span>
              <span class="quiet">
                {ago(j.finishedAt ?? j.claimedAt ?? j.createdAt)}
                {j.failureReason && `, ${j.failureReason}`}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {own.length > 20 && <p class="hint">{plural(own.length - 20, "older job")} not shown.</p>}
    </Section>
  );
}
