// The right rail: what is known of the selected node, of several, of a link or
// a path; of the project when nothing is selected.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import * as act from "./act";
import * as api from "./api";
import { editors, openIn } from "./editor";
import * as host from "./host";
import { Findings, Launch, Past, Problems, Summaries } from "./judgement";
import { nodeChoices } from "./map/map";
import { LineAt } from "./line";
import { Markdown } from "./markdown";
import { id, linkKinds, type Item } from "./sheet";
import * as s from "./state";
import { Blank, Button, Chip, Copy, Icon, Kind, kindLabel, Mark, MenuButton, providerLabel, Section, Segments } from "./ui";
import { ago, bytes, count, exact, plural } from "./words";
import type { Link, NodeBundle } from "./wire";

export function Details() {
  if (s.marked.value.size > 0) return <Several />;
  const item = s.selectedItem.value;
  if (item) return item.ghost ? <Ghost item={item} /> : <Node key={item.path} item={item} />;
  if (s.selected.value !== null) return <Gone />;
  if (s.strand.value) return <Strand />;
  if (s.way.value) return <Way />;
  return <Overview />;
}

function Head({ kind, title, sub, children }: { kind?: string; title: string; sub?: ComponentChildren; children?: ComponentChildren }) {
  return (
    <header class="details-head">
      <div class="details-title">
        {kind && <Kind kind={kind} />}
        <h2 tabIndex={-1}>{title}</h2>
      </div>
      {sub}
      {children}
    </header>
  );
}

function Node({ item }: { item: Item }) {
  const bundle = useSignal<NodeBundle | null>(null);
  const fault = useSignal("");
  const sheet = s.sheet.value;
  useEffect(() => {
    const stop = new AbortController();
    api
      .node(item.path, stop.signal)
      .then((b) => {
        bundle.value = b;
        fault.value = "";
      })
      .catch((err) => {
        if (!stop.signal.aborted) fault.value = api.textOf(err);
      });
    return () => stop.abort();
  }, [item.path, sheet, s.pulse.value]);
  const b = bundle.value;
  return (
    <div class="details-inner">
      <Head
        kind={item.kind}
        title={item.name}
        sub={
          <p class="details-path">
            <span title={item.path}>{item.path}</span>
            <Button icon="copy" label="Copy path (C)" tone="quiet" small onClick={() => void act.copy(item.path, "Path")} />
          </p>
        }
      >
        <p class="chips">
          <Chip>{kindLabel(item.kind)}</Chip>
          {!s.registries.value.providerRegistry[item.provider]?.hideChip && <Chip>{providerLabel(item.provider)}</Chip>}
          {item.version && <Chip title="Version in its sidecar">v{item.version}</Chip>}
          {item.stability && <Chip>{item.stability}</Chip>}
          {item.virtual && <Chip title="Files speak of it; it is no file itself">virtual</Chip>}
          {item.drift.startsWith("stale") && <Chip tone="warn" title="Changed since its sidecar was written">drifted</Chip>}
          {item.tags.map((t) => (
            <button key={t} type="button" class="chip is-tag" title={`Search for the tag ${t}`} onClick={() => (s.query.value = `tag:${t}`)}>
              #{t}
            </button>
          ))}
        </p>
        {item.about && <p class="details-about">{item.about}</p>}
        <div class="actions">
          <Button small icon="focus" pressed={s.focus.value?.on === item.path} onClick={() => (s.focus.value?.on === item.path ? (s.focus.value = null) : act.focusOn(item.path))}>
            Focus
          </Button>
          <Button small icon="path" onClick={() => act.startPath(item.path)}>
            Path
          </Button>
          {!item.virtual && (
            <Button small icon="edit" onClick={() => openIn(editors[0], item.path, 0)}>
              {editors[0].name}
            </Button>
          )}
          <MenuButton small label="More for this node" icon="more" choices={() => nodeChoices(item.path)} />
        </div>
      </Head>
      <dl class="numbers">
        <div>
          <dt>Tokens</dt>
          <dd title={`${exact(item.headTokens)} in the frontmatter`}>{item.tokens ? exact(item.tokens) : "none"}</dd>
        </div>
        <div>
          <dt>Links in</dt>
          <dd>{exact(item.in)}</dd>
        </div>
        <div>
          <dt>Links out</dt>
          <dd>{exact(item.out)}</dd>
        </div>
        <div>
          <dt>Size</dt>
          <dd>{item.bytes ? bytes(item.bytes) : "none"}</dd>
        </div>
      </dl>
      {fault.value && (
        <p class="inline-fault" role="alert">
          <Icon name="alert" /> {fault.value}
        </p>
      )}
      {!b && !fault.value && <Skeleton />}
      {b && (
        <>
          <Problems path={item.path} issues={b.issues} />
          {!item.virtual && !host.isForge && <Findings path={item.path} />}
          <Links title="Links out" links={b.links.outgoing} from={item.path} out />
          <Links title="Links in" links={b.links.incoming} from={item.path} />
          <Frontmatter values={b.item.frontmatter} />
          {!item.virtual && <Body bundle={b} />}
          <SidecarPart bundle={b} />
          {(b.item.externalRefs?.length ?? 0) > 0 && (
            <Section title="Links outside" count={b.item.externalRefs!.length} open={false}>
              <ul class="plain-list">
                {b.item.externalRefs!.map((r, i) => (
                  <li key={i}>
                    {/^https?:\/\//i.test(r.url) ? (
                      <a href={r.url} target="_blank" rel="noopener noreferrer nofollow">
                        {r.url}
                      </a>
                    ) : (
                      r.url
                    )}
                    {r.line ? <LineAt path={item.path} line={r.line} /> : null}
                  </li>
                ))}
              </ul>
            </Section>
          )}
          {!item.virtual && !host.isForge && (
            <>
              <Summaries path={item.path} />
              <Launch path={item.path} />
              <Past path={item.path} />
            </>
          )}
          <p class="details-foot">
            {item.modified > 0 && <>Changed {ago(item.modified)}. </>}
            Body <code title={item.bodyHash}>{item.bodyHash.slice(0, 10)}</code>
          </p>
        </>
      )}
    </div>
  );
}

function Skeleton() {
  return (
    <div class="skeleton" role="status" aria-label="Reading the node">
      <span />
      <span />
      <span />
      <span />
    </div>
  );
}

function Links({ title, links, from, out }: { title: string; links: Link[]; from: string; out?: boolean }) {
  const all = useSignal(false);
  const order = links.slice().sort((a, b) => linkKinds.indexOf(a.kind) - linkKinds.indexOf(b.kind) || b.confidence - a.confidence);
  const list = all.value ? order : order.slice(0, 12);
  return (
    <Section title={title} count={links.length} open={links.length > 0}>
      {links.length === 0 ? (
        <p class="none">{out ? "It names nothing else." : "Nothing links to it."}</p>
      ) : (
        <ul class="links">
          {list.map((l, i) => {
            const other = out ? (l.resolvedTarget ?? l.target) : l.source;
            const known = s.index.value.get(other);
            const item = known === undefined ? null : s.sheet.value.items[known];
            const lines = (l.occurrences ?? []).map((o) => o.location?.line ?? 0).filter((n) => n > 0);
            const places = [...new Set(lines.length > 0 ? lines : l.location ? [l.location.line] : [])];
            return (
              <li key={i} class={item ? "" : "is-broken"}>
                <span class={"link-kind is-" + l.kind}>{l.kind}</span>
                <span class="links-to">
                  {item ? (
                    <button type="button" class="link" onClick={() => act.reveal(id(item))} title={other}>
                      <Kind kind={item.kind} small /> {item.name}
                    </button>
                  ) : (
                    <span title={other}>
                      <Icon name="broken" /> {other}
                    </span>
                  )}
                  <span class="links-facts">
                    {l.trigger?.originalTrigger && l.trigger.originalTrigger !== other && <code>{l.trigger.originalTrigger}</code>}
                    {places.slice(0, 4).map((n) => (
                      <LineAt key={n} path={out ? from : l.source} line={n} />
                    ))}
                    {places.length > 4 && <span>+{places.length - 4}</span>}
                    {l.confidence < 1 && <span title="How sure the map is">{Math.round(l.confidence * 100)} % sure</span>}
                  </span>
                </span>
              </li>
            );
          })}
        </ul>
      )}
      {order.length > 12 && (
        <button type="button" class="link more" onClick={() => (all.value = !all.value)}>
          {all.value ? "Show fewer" : `Show all ${order.length}`}
        </button>
      )}
    </Section>
  );
}

function Frontmatter({ values }: { values: Record<string, unknown> }) {
  const keys = Object.keys(values);
  return (
    <Section title="Frontmatter" count={keys.length} open={keys.length > 0}>
      {keys.length === 0 ? <p class="none">This file has none.</p> : <Values values={values} />}
    </Section>
  );
}

export function Values({ values }: { values: Record<string, unknown> }) {
  return (
    <dl class="values">
      {Object.entries(values).map(([k, v]) => (
        <div key={k}>
          <dt>{k}</dt>
          <dd>
            <Value v={v} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ v }: { v: unknown }) {
  if (v === null || v === undefined) return <em>empty</em>;
  if (Array.isArray(v)) {
    if (v.length === 0) return <em>empty list</em>;
    if (v.every((x) => typeof x !== "object" || x === null)) {
      return (
        <span class="chips">
          {v.map((x, i) => (
            <Chip key={i}>{String(x)}</Chip>
          ))}
        </span>
      );
    }
    return (
      <ol class="plain-list">
        {v.map((x, i) => (
          <li key={i}>
            <Value v={x} />
          </li>
        ))}
      </ol>
    );
  }
  if (typeof v === "object") return <Values values={v as Record<string, unknown>} />;
  if (typeof v === "boolean" || typeof v === "number") return <code>{String(v)}</code>;
  return <span class="text-value">{String(v)}</span>;
}

function Body({ bundle }: { bundle: NodeBundle }) {
  const how = useSignal<"read" | "raw">("read");
  const body = bundle.item.body;
  return (
    <Section
      title="Body"
      open
      aside={
        <Segments
          label="Body as"
          value={how.value}
          choices={[
            { value: "read", label: "Read" },
            { value: "raw", label: "Raw" },
          ]}
          onChoose={(v) => (how.value = v)}
        />
      }
    >
      {body === null || body === undefined ? (
        <p class="none">The file cannot be read now.</p>
      ) : body.trim() === "" ? (
        <p class="none">Nothing but frontmatter.</p>
      ) : how.value === "raw" ? (
        <pre class="raw" tabIndex={0} aria-label="Body as it is">
          {body}
        </pre>
      ) : (
        <Markdown text={body} path={bundle.item.path} />
      )}
    </Section>
  );
}

const driftWords: Record<string, string> = {
  fresh: "It was written for the file as it is.",
  "stale-body": "The body changed since it was written.",
  "stale-frontmatter": "The frontmatter changed since it was written.",
  "stale-both": "Body and frontmatter changed since it was written.",
  unreadable: "It does not parse.",
};

function SidecarPart({ bundle }: { bundle: NodeBundle }) {
  const { sidecar } = bundle.item;
  if (!sidecar?.present) return null;
  const status = sidecar.status ?? "unreadable";
  const notes = sidecar.annotations ?? {};
  const audit = (sidecar.root?.audit ?? {}) as Record<string, unknown>;
  return (
    <Section title="Sidecar" count={status} tone={status === "fresh" ? "ok" : "warn"} open={status !== "fresh"}>
      <p class={"drift is-" + (status === "fresh" ? "ok" : "warn")}>
        <Icon name={status === "fresh" ? "check" : "alert"} /> {driftWords[status] ?? status}
      </p>
      {status.startsWith("stale") && <Copy label="Command that brings the sidecar up to date" text={`sm bump ${quote(bundle.item.path)}`} />}
      {Object.keys(notes).length > 0 && <Values values={notes} />}
      {Object.keys(audit).length > 0 && <Values values={audit} />}
    </Section>
  );
}

// quote makes a path one word of a shell.
export function quote(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : "'" + path.replaceAll("'", "'\\''") + "'";
}

function Ghost({ item }: { item: Item }) {
  const { lines, items } = s.sheet.value;
  const at = s.index.value.get(id(item))!;
  const by: number[] = [];
  for (let i = 0; i < lines.target.length; i++) if (lines.target[i] === at) by.push(i);
  return (
    <div class="details-inner">
      <Head kind="ghost" title={item.name} sub={<p class="details-about">{item.broken ? "Named, but nothing of this name is in the project." : "Named, and not resolved to anything in the project."}</p>}>
        <div class="actions">
          <Button small icon="focus" onClick={() => act.focusOn(id(item))}>
            Show who names it
          </Button>
          <Button small icon="copy" onClick={() => void act.copy(item.path, "Target")}>
            Copy
          </Button>
        </div>
      </Head>
      <Section title="Named by" count={by.length}>
        <ul class="links">
          {by.slice(0, 100).map((i) => {
            const from = items[lines.source[i]];
            return (
              <li key={i}>
                <span class={"link-kind is-" + linkKinds[lines.kind[i]]}>{linkKinds[lines.kind[i]]}</span>
                <span class="links-to">
                  <button type="button" class="link" onClick={() => act.reveal(id(from))} title={from.path}>
                    <Kind kind={from.kind} small /> {from.name}
                  </button>
                  <span class="links-facts">{lines.line[i] > 0 && <LineAt path={from.path} line={lines.line[i]} />}</span>
                </span>
              </li>
            );
          })}
        </ul>
      </Section>
    </div>
  );
}

function Gone() {
  return (
    <div class="details-inner">
      <Blank icon="search" title="Not on the map">
        <p>
          <code>{s.selected.value?.replace("\u0000", "")}</code> is no node of this project now. It may have been moved, deleted or ignored.
        </p>
        <Button small onClick={() => s.select(null)}>
          Close
        </Button>
      </Blank>
    </div>
  );
}

function Several() {
  const items = [...s.marked.value].map((k) => s.itemOf(k)).filter((i): i is Item => i !== undefined);
  const tokens = items.reduce((n, i) => n + i.tokens, 0);
  const ids = items.map(id);
  return (
    <div class="details-inner">
      <Head title={plural(items.length, "node")} sub={<p class="details-about">{exact(tokens)} tokens together.</p>}>
        <div class="actions">
          <Button small icon="eye" onClick={() => act.isolate(ids)}>
            Only these
          </Button>
          <Button small icon="eye-off" onClick={() => act.hide(ids)}>
            Hide
          </Button>
          <Button
            small
            icon="pin"
            onClick={() => {
              const pins = new Map(s.pins.value);
              for (const key of ids) {
                const i = s.index.value.get(key)!;
                pins.set(key, [s.at.value[2 * i], s.at.value[2 * i + 1]]);
              }
              s.pins.value = pins;
            }}
          >
            Pin
          </Button>
          {ids.length === 2 && (
            <Button
              small
              icon="path"
              onClick={() => {
                act.startPath(ids[0]);
                act.endPath(ids[1]);
                s.mark([]);
              }}
            >
              Path between
            </Button>
          )}
          <Button small tone="quiet" onClick={() => s.mark([])}>
            Clear
          </Button>
        </div>
      </Head>
      <ul class="plain-list node-list">
        {items.slice(0, 300).map((i) => (
          <li key={id(i)}>
            <button type="button" class="link" onClick={() => act.reveal(id(i))}>
              <Kind kind={i.kind} small /> {i.name}
            </button>
            <span class="count">{i.tokens ? count(i.tokens) : ""}</span>
            <Button
              icon="close"
              label={`Take ${i.name} out`}
              tone="quiet"
              small
              onClick={() => {
                const next = new Set(s.marked.value);
                next.delete(id(i));
                s.mark(next);
              }}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Strand() {
  const { source, target } = s.strand.value!;
  const from = s.itemOf(source);
  const to = s.itemOf(target);
  const { lines } = s.sheet.value;
  const a = s.index.value.get(source);
  const b = s.index.value.get(target);
  const own: number[] = [];
  for (let i = 0; i < lines.source.length; i++) if ((lines.source[i] === a && lines.target[i] === b) || (lines.source[i] === b && lines.target[i] === a)) own.push(i);
  if (!from || !to) return <Overview />;
  return (
    <div class="details-inner">
      <Head title={`${from.name} → ${to.name}`} sub={<p class="details-about">{plural(own.length, "link")} between these two.</p>} />
      <ul class="links">
        {own.map((i) => {
          const x = s.sheet.value.items[lines.source[i]];
          const y = s.sheet.value.items[lines.target[i]];
          return (
            <li key={i}>
              <span class={"link-kind is-" + (lines.broken[i] ? "broken" : linkKinds[lines.kind[i]])}>{linkKinds[lines.kind[i]]}</span>
              <span class="links-to">
                <span>
                  <button type="button" class="link" onClick={() => act.reveal(id(x))}>{x.name}</button> to <button type="button" class="link" onClick={() => act.reveal(id(y))}>{y.name}</button>
                </span>
                <span class="links-facts">
                  {lines.line[i] > 0 && <LineAt path={x.path} line={lines.line[i]} />}
                  <span>{Math.round(lines.confidence[i] * 100)} % sure</span>
                  {lines.broken[i] === 1 && <span class="bad">leads nowhere</span>}
                </span>
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Way() {
  const w = s.way.value!;
  const ends = s.ends.value!;
  const name = (key: string) => s.itemOf(key)?.name ?? key;
  return (
    <div class="details-inner">
      <Head title="Path" sub={<p class="details-about">From {name(ends.from)} to {name(ends.to)}.</p>}>
        <div class="actions">
          <Button
            small
            icon="undo"
            onClick={() => {
              s.ends.value = { from: ends.to, to: ends.from };
              act.frameLit();
            }}
          >
            Other way round
          </Button>
          <Button small tone="quiet" onClick={() => (s.ends.value = null)}>
            Leave
          </Button>
        </div>
      </Head>
      {w === "none" ? (
        <Blank icon="path" title="No way between them">
          <p>Nothing links the one with the other, not even around several corners.</p>
        </Blank>
      ) : (
        <>
          {w.against && <p class="hint">No chain of links leads there, so this one also goes against some.</p>}
          <ol class="steps">
            {w.items.map((i, k) => {
              const item = s.sheet.value.items[i];
              const l = w.lines[k];
              const { lines } = s.sheet.value;
              return (
                <li key={i}>
                  <button type="button" class="link" onClick={() => act.reveal(id(item))}>
                    <Kind kind={item.kind} small /> {item.name}
                  </button>
                  {l !== undefined && (
                    <span class="links-facts">
                      {lines.source[l] === i ? "↓" : "↑"} <span class={"link-kind is-" + linkKinds[lines.kind[l]]}>{linkKinds[lines.kind[l]]}</span>
                      {lines.line[l] > 0 && <LineAt path={s.sheet.value.items[lines.source[l]].path} line={lines.line[l]} />}
                    </span>
                  )}
                </li>
              );
            })}
          </ol>
        </>
      )}
    </div>
  );
}

function Overview() {
  const { items, nodes, meta, problems } = s.sheet.value;
  const real = items.slice(0, nodes);
  const t = s.totals.value;
  const used = real.filter((i) => i.in > 0).sort((a, b) => b.in - a.in).slice(0, 5);
  const heavy = real.filter((i) => i.tokens > 0).sort((a, b) => b.tokens - a.tokens).slice(0, 5);
  const bad = problems.filter((p) => p.severity !== "info").sort((a, b) => (a.severity === b.severity ? 0 : a.severity === "error" ? -1 : 1));
  const folder = s.scope.split(/[\\/]/).filter(Boolean).pop() ?? "This project";
  return (
    <div class="details-inner">
      <Head title={folder} sub={<p class="details-path"><span title={s.scope}>{s.scope}{host.isForge && ` at ${host.commit.slice(0, 8)}`}</span></p>}>
        <p class="chips">
          {meta.lens && <Chip title="Whose rules hold here">{providerLabel(meta.lens)}</Chip>}
          {t.errors > 0 && <Chip tone="error">{plural(t.errors, "error")}</Chip>}
          {t.warns > 0 && <Chip tone="warn">{plural(t.warns, "warning")}</Chip>}
          {t.errors + t.warns === 0 && <Chip tone="ok">no issues</Chip>}
        </p>
      </Head>
      <dl class="numbers">
        <div>
          <dt>Nodes</dt>
          <dd>{exact(nodes)}</dd>
        </div>
        <div>
          <dt>Links</dt>
          <dd>{exact(s.sheet.value.lines.source.length)}</dd>
        </div>
        <div>
          <dt>Tokens</dt>
          <dd title={exact(t.tokens)}>{count(t.tokens)}</dd>
        </div>
        <div>
          <dt>Issues</dt>
          <dd>{exact(problems.length)}</dd>
        </div>
      </dl>
      {bad.length > 0 && (
        <Section title="Needs a look" count={bad.length} tone={t.errors ? "error" : "warn"} aside={<button type="button" class="link" onClick={() => (s.view.value = "health")}>Health</button>}>
          <ul class="plain-list node-list">
            {bad.slice(0, 6).map((p, i) => {
              const item = s.itemOf(p.nodeIds[0]);
              return (
                <li key={i}>
                  <Mark severity={p.severity} />
                  <span class="two-lines">
                    <button type="button" class="link" onClick={() => act.reveal(p.nodeIds[0])}>{item?.name ?? p.nodeIds[0]}</button>
                    <span class="quiet">{firstSentence(p.message)}</span>
                  </span>
                </li>
              );
            })}
          </ul>
        </Section>
      )}
      {used.length > 0 && (
        <Section title="Most relied on">
          <Ranked list={used} of={(i) => i.in} unit="in" />
        </Section>
      )}
      {heavy.length > 0 && (
        <Section title="Most tokens">
          <Ranked list={heavy} of={(i) => i.tokens} unit="tok" />
        </Section>
      )}
      <p class="details-foot">
        Scanned {ago(meta.scannedAt)} in {meta.stats.durationMs} ms: {plural(meta.stats.filesWalked, "file")} read. Select a node to see all of it; press <kbd>?</kbd> for keys.
      </p>
    </div>
  );
}

function Ranked({ list, of, unit }: { list: Item[]; of: (i: Item) => number; unit: string }) {
  const top = of(list[0]) || 1;
  return (
    <ul class="ranked">
      {list.map((i) => (
        <li key={id(i)}>
          <button type="button" class="link" onClick={() => act.reveal(id(i))} title={i.path}>
            <Kind kind={i.kind} small /> {i.name}
          </button>
          <span class="ranked-bar" aria-hidden="true">
            <span style={{ width: (of(i) / top) * 100 + "%" }} />
          </span>
          <span class="count">
            {count(of(i))} {unit}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function firstSentence(message: string): string {
  const m = /^`([^`]*)`:\n(.*)$/s.exec(message);
  return (m ? `${m[1]}: ${m[2]}` : message).replace(/\n/g, " ");
}
