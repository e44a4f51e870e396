// The health view: what is wrong, what it costs, what nobody uses.

import { useComputed, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import * as act from "./act";
import { budgets, chain, roleOf, twins, type Budget, type Entry, type HostID } from "./budget";
import { firstSentence } from "./details";
import { exportChoices } from "./exports";
import * as host from "./host";
import { id, type Item } from "./sheet";
import * as s from "./state";
import { Bar, Blank, Button, Chip, Icon, Kind, kindLabel, Mark, MenuButton, Segments } from "./ui";
import { ago, bytes, count, exact, percent, plural } from "./words";
import type { Issue, Severity } from "./wire";

export function Health() {
  const t = s.totals.value;
  return (
    <div class="health">
      <header class="health-head">
        <div>
          <h2>Health</h2>
          <p>
            {plural(s.sheet.value.nodes, "node")}, {exact(t.tokens)} tokens, counted with {s.sheet.value.meta.tokenizer || "no tokenizer"}. Scanned {ago(s.sheet.value.meta.scannedAt)}.
          </p>
        </div>
        <div class="actions">
          {!host.isForge && (
            <Button icon="refresh" onClick={() => void act.rescan()}>
              Scan again
            </Button>
          )}
          <MenuButton label="Export" icon="download" text="Export" tone="plain" choices={exportChoices} />
        </div>
      </header>
      <div class="tiles">
        <Tile n={t.errors} word="errors" tone={t.errors ? "error" : "ok"} />
        <Tile n={t.warns} word="warnings" tone={t.warns ? "warn" : "ok"} />
        <Tile n={t.infos} word="notes" tone="info" />
        <Tile n={s.sheet.value.lines.broken.reduce((n, b) => n + b, 0)} word="broken links" tone={s.sheet.value.lines.broken.includes(1) ? "error" : "ok"} />
      </div>
      <Rules />
      <Context />
      <Loaded />
      <div class="health-pair">
        <Unused />
        <Twins />
      </div>
      <div class="health-pair">
        {!host.isForge && <Usage />}
        <Outside />
      </div>
    </div>
  );
}

function Tile({ n, word, tone }: { n: number; word: string; tone: string }) {
  return (
    <div class={"tile is-" + tone}>
      <strong>{exact(n)}</strong>
      <span>{word}</span>
    </div>
  );
}

function Panel({ title, about, children, aside }: { title: string; about: ComponentChildren; children: ComponentChildren; aside?: ComponentChildren }) {
  return (
    <section class="panel" aria-label={title}>
      <div class="panel-head">
        <div>
          <h3>{title}</h3>
          <p>{about}</p>
        </div>
        {aside}
      </div>
      {children}
    </section>
  );
}

function NodeLink({ item }: { item: Item }) {
  return (
    <button type="button" class="link" onClick={() => act.reveal(id(item))} title={item.path}>
      <Kind kind={item.kind} small /> {item.name}
    </button>
  );
}

// --- issues by rule

const worstFirst: Record<Severity, number> = { error: 0, warn: 1, info: 2 };

function Rules() {
  const open = useSignal<string | null>(null);
  const groups = useComputed(() => {
    const by = new Map<string, Issue[]>();
    for (const p of s.sheet.value.problems) {
      const list = by.get(p.analyzerId);
      if (list) list.push(p);
      else by.set(p.analyzerId, [p]);
    }
    const worst = (list: Issue[]) => Math.min(...list.map((p) => worstFirst[p.severity]));
    return [...by].sort((a, b) => worst(a[1]) - worst(b[1]) || b[1].length - a[1].length);
  });
  if (groups.value.length === 0) {
    return (
      <Panel title="Issues" about="What the rules have against this project.">
        <Blank icon="check" title="Nothing">
          <p>Every rule that is switched on is content with every file.</p>
        </Blank>
      </Panel>
    );
  }
  const top = Math.max(8, ...groups.value.map(([, l]) => l.length));
  return (
    <Panel title="Issues by rule" about="Each rule with what it found. Open one to see where.">
      <ul class="rules">
        {groups.value.map(([rule, list]) => {
          const by = { error: 0, warn: 0, info: 0 };
          for (const p of list) by[p.severity]++;
          const isOpen = open.value === rule;
          return (
            <li key={rule}>
              <button type="button" class="rules-row" aria-expanded={isOpen} onClick={() => (open.value = isOpen ? null : rule)}>
                <Icon name="chevron" />
                <code>{rule}</code>
                <span class="rules-bar" style={{ width: Math.max(3, (list.length / top) * 100) + "%" }}>
                  <Bar
                    label={`${by.error} errors, ${by.warn} warnings, ${by.info} notes`}
                    parts={[
                      { value: by.error, tone: "error", label: plural(by.error, "error") },
                      { value: by.warn, tone: "warn", label: plural(by.warn, "warning") },
                      { value: by.info, tone: "info", label: plural(by.info, "note") },
                    ]}
                  />
                </span>
                <span class="count">{exact(list.length)}</span>
              </button>
              {isOpen && (
                <ul class="rules-list">
                  {list.slice(0, 60).map((p, i) => {
                    const item = s.itemOf(p.nodeIds[0]);
                    return (
                      <li key={i}>
                        <Mark severity={p.severity} />
                        <span class="two-lines">
                          {item ? <NodeLink item={item} /> : <span>{p.nodeIds[0]}</span>}
                          <span class="quiet">{firstSentence(p.message)}</span>
                        </span>
                      </li>
                    );
                  })}
                  {list.length > 60 && <li class="quiet">{plural(list.length - 60, "more")}. Export the list as JSON for all.</li>}
                </ul>
              )}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

// --- context

function Context() {
  const all = useComputed(() => budgets(s.sheet.value));
  return (
    <Panel title="Context" about="What each agent host reads at every start, and what only when it is used. Tokens of names and descriptions are estimated.">
      {all.value.length === 0 ? (
        <Blank icon="info" title="No host reads anything here">
          <p>There is no CLAUDE.md, AGENTS.md, skill or agent where a host would look.</p>
        </Blank>
      ) : (
        <div class="hosts">
          {all.value.map((b) => (
            <Host key={b.host} b={b} most={Math.max(...all.value.map((x) => x.alwaysTokens + x.listedTokens + x.demandTokens))} />
          ))}
        </div>
      )}
    </Panel>
  );
}

function Host({ b, most }: { b: Budget; most: number }) {
  const show = useSignal<"always" | "listed" | "demand" | null>(null);
  const start = b.alwaysTokens + b.listedTokens;
  const list: Entry[] = show.value ? b[show.value] : [];
  return (
    <article class="host">
      <h4>{b.label}</h4>
      <p class="host-sum">
        <strong>{exact(start)}</strong> tokens at every start
        <span class="quiet">, {exact(b.demandTokens)} on demand</span>
      </p>
      <div class="host-bar" style={{ width: Math.max(12, ((start + b.demandTokens) / most) * 100) + "%" }}>
        <Bar
          label={`${b.alwaysTokens} tokens whole, ${b.listedTokens} listed, ${b.demandTokens} on demand`}
          parts={[
            { value: b.alwaysTokens, tone: "always", label: `${exact(b.alwaysTokens)} whole files` },
            { value: b.listedTokens, tone: "listed", label: `${exact(b.listedTokens)} names and descriptions` },
            { value: b.demandTokens, tone: "demand", label: `${exact(b.demandTokens)} on demand` },
          ]}
        />
      </div>
      <div class="host-keys" role="group" aria-label={`Parts of what ${b.label} reads`}>
        {(
          [
            ["always", "Always, whole", b.alwaysTokens, b.always.length],
            ["listed", "Always, listed", b.listedTokens, b.listed.length],
            ["demand", "On demand", b.demandTokens, b.demand.length],
          ] as const
        ).map(([k, word, tokens, n]) => (
          <button key={k} type="button" aria-pressed={show.value === k} disabled={n === 0} onClick={() => (show.value = show.value === k ? null : k)}>
            <span class={"swatch is-" + k} />
            {word}
            <span class="count">
              {count(tokens)} in {n}
            </span>
          </button>
        ))}
      </div>
      {b.listing && b.listing.characters > b.listing.room && (
        <p class="inline-fault is-warn">
          <Icon name="alert" />
          <span>
            The list of skills takes {exact(b.listing.characters)} characters; a window of 200,000 tokens leaves {exact(b.listing.room)} for it. {plural(b.listing.past.length, "skill")} past that may lose their description, from{" "}
            <NodeLink item={b.listing.past[0]} /> on.
          </span>
        </p>
      )}
      {show.value && (
        <ul class="host-list">
          {list.slice(0, 80).map((e, i) => (
            <li key={i}>
              <NodeLink item={e.item} />
              <span class="quiet">{e.why}</span>
              <span class="count">{exact(e.tokens)}</span>
            </li>
          ))}
          {list.length > 80 && <li class="quiet">and {exact(list.length - 80)} more</li>}
        </ul>
      )}
    </article>
  );
}

function Loaded() {
  const all = useComputed(() => budgets(s.sheet.value).map((b) => ({ value: b.host, label: b.label })));
  const host = useSignal<HostID | null>(null);
  const folder = useSignal("");
  const folders = useComputed(() => {
    const found = new Set<string>();
    for (let i = 0; i < s.sheet.value.nodes; i++) {
      const item = s.sheet.value.items[i];
      if (item.virtual) continue;
      const parts = item.path.split("/").slice(0, -1);
      for (let k = 1; k <= Math.min(parts.length, 4); k++) if (!parts[0].startsWith(".")) found.add(parts.slice(0, k).join("/"));
    }
    return [...found].sort().slice(0, 400);
  });
  if (all.value.length === 0) return null;
  const on = host.value ?? all.value[0].value;
  const steps = chain(on, folder.value, s.sheet.value);
  return (
    <Panel
      title="Who is read first"
      about="For work in a folder, the files a host reads, in its order. Later ones win where they disagree."
      aside={
        <div class="actions">
          <Segments label="Host" value={on} choices={all.value} onChoose={(v) => (host.value = v)} />
          <label class="pick">
            <span>in</span>
            <select value={folder.value} onChange={(e) => (folder.value = (e.currentTarget as HTMLSelectElement).value)}>
              <option value="">the top of the project</option>
              {folders.value.map((f) => (
                <option key={f} value={f}>
                  {f}
                </option>
              ))}
            </select>
          </label>
        </div>
      }
    >
      {steps.length === 0 ? (
        <p class="none">It reads nothing by itself there.</p>
      ) : (
        <ol class="chain">
          {steps.map((x) => (
            <li key={x.item.path} class={x.cut ? "is-cut" : ""}>
              <NodeLink item={x.item} />
              <span class="quiet">{x.why}</span>
              <span class="count">
                {exact(x.item.tokens)} tok, {bytes(x.item.bytes)}
              </span>
              {x.cut && <Chip tone="warn">cut: the chain is over 32 kB here</Chip>}
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

// --- what nobody uses

function Unused() {
  const by = useComputed(() => {
    const real = s.sheet.value.items.slice(0, s.sheet.value.nodes).filter((i) => !i.virtual);
    const unused = real.filter((i) => roleOf(i) === "unused").sort((a, b) => b.tokens - a.tokens);
    const entries = real.filter((i) => roleOf(i) === "entry");
    return { unused, entries, reached: real.length - unused.length - entries.length };
  });
  const { unused, entries, reached } = by.value;
  const kinds = new Map<string, number>();
  for (const e of entries) kinds.set(e.kind, (kinds.get(e.kind) ?? 0) + 1);
  return (
    <Panel
      title="Unreferenced"
      about={`${plural(reached, "node is", "nodes are")} led to by a link. ${plural(entries.length, "more is a way", "more are ways")} in by ${entries.length === 1 ? "itself" : "themselves"}: ${[...kinds].map(([k, n]) => `${kindLabel(k)} ${n}`).join(", ") || "none"}.`}
      aside={
        unused.length > 0 ? (
          <button
            type="button"
            class="link"
            onClick={() => {
              s.view.value = "map";
              s.filters.value = { ...s.noFilters, only: "unreferenced" };
            }}
          >
            On the map
          </button>
        ) : undefined
      }
    >
      {unused.length === 0 ? (
        <p class="none">Nothing else lies about.</p>
      ) : (
        <Rows items={unused} />
      )}
    </Panel>
  );
}

function Rows({ items }: { items: Item[] }) {
  return (
    <ul class="host-list">
      {items.slice(0, 12).map((i) => (
        <li key={i.path}>
          <NodeLink item={i} />
          <span class="quiet">{i.path}</span>
          <span class="count">{i.tokens ? exact(i.tokens) : ""}</span>
        </li>
      ))}
      {items.length > 12 && <li class="quiet">and {exact(items.length - 12)} more</li>}
    </ul>
  );
}

function Twins() {
  const groups = useComputed(() => twins(s.sheet.value));
  return (
    <Panel title="Duplicates" about="Files whose bodies are the same to the letter.">
      {groups.value.length === 0 ? (
        <p class="none">No two bodies are the same.</p>
      ) : (
        <ul class="twins">
          {groups.value.slice(0, 10).map((g) => (
            <li key={g[0].bodyHash}>
              <p>
                <strong>{g.length} times</strong> <span class="quiet">{exact((g.length - 1) * g[0].tokens)} tokens said again</span>
              </p>
              <p class="twins-who">
                {g.slice(0, 6).map((i) => (
                  <NodeLink key={i.path} item={i} />
                ))}
                {g.length > 6 && <span class="quiet">and {g.length - 6} more</span>}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Usage() {
  const a = s.activity.value;
  const known = a ? Object.entries(a.nodes) : [];
  const skills = s.sheet.value.items.filter((i) => i.kind === "skill" || i.kind === "agent" || i.kind === "command");
  const used = new Set(known.map(([p]) => p));
  return (
    <Panel title="Use" about="What agents ran, as far as they tell this server.">
      {known.length === 0 ? (
        <Blank icon="heart" title="No data">
          <p>Nobody reported activity{a ? ` since ${ago(a.since)}` : ""}, so nothing can be said of what is used. <code>sm activity install</code> wires the reports of a host.</p>
        </Blank>
      ) : (
        <>
          <ul class="host-list">
            {known
              .sort((x, y) => y[1].count - x[1].count)
              .slice(0, 8)
              .map(([path, v]) => (
                <li key={path}>
                  {s.itemOf(path) ? <NodeLink item={s.itemOf(path)!} /> : <span>{path}</span>}
                  <span class="quiet">{ago(v.lastStartAt)}</span>
                  <span class="count">{v.count}</span>
                </li>
              ))}
          </ul>
          <p class="quiet">
            {plural(skills.filter((i) => !used.has(i.path)).length, "skill, agent or command", "skills, agents and commands")} not seen since {a ? ago(a.since) : "the start"}.
          </p>
        </>
      )}
    </Panel>
  );
}

function Outside() {
  const hosts = s.sheet.value.hosts;
  const all = hosts.reduce((n, [, k]) => n + k, 0);
  return (
    <Panel title="Links outside" about={all ? `${plural(all, "address", "addresses")} on ${plural(hosts.length, "host")}. None is visited.` : "Addresses that files name. None is visited."}>
      {hosts.length === 0 ? (
        <p class="none">No file names an address outside.</p>
      ) : (
        <ul class="host-list">
          {hosts.slice(0, 10).map(([host, n]) => (
            <li key={host}>
              <span>{host}</span>
              <span class="quiet">{percent(n, all)}</span>
              <span class="count">{n}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
