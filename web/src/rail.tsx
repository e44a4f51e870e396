// The left rail: files, filters and saved views.

import { signal, useSignal } from "@preact/signals";
import * as act from "./act";
import { fields as help } from "./find";
import { LinkLine } from "./map/map";
import { linkKinds } from "./sheet";
import * as s from "./state";
import { Tree } from "./tree";
import { Button, Icon, Kind, kindLabel, providerLabel, Segments } from "./ui";
import { Views } from "./views";
import { count } from "./words";

type Tab = "files" | "filters" | "views";
const tab = signal<Tab>("files");

export function Rail() {
  return (
    <div class="rail-inner">
      <div class="rail-tabs">
        <Segments
          label="What the rail shows"
          value={tab.value}
          choices={[
            { value: "files", label: "Files" },
            { value: "filters", label: s.isFiltered.value ? "Filters •" : "Filters" },
            { value: "views", label: "Views" },
          ]}
          onChoose={(v) => (tab.value = v)}
        />
      </div>
      {tab.value === "files" && (
        <>
          <KindChips />
          <Tree />
        </>
      )}
      {tab.value === "filters" && <FilterPanel />}
      {tab.value === "views" && <Views />}
    </div>
  );
}

// flip puts a word into a set, or takes it out.
function flip(set: ReadonlySet<string>, word: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(word)) next.add(word);
  return next;
}

function KindChips() {
  const f = s.filters.value;
  return (
    <div class="kind-chips" role="group" aria-label="Kinds on the map">
      {s.kinds.value.map(([kind, n]) => (
        <button
          key={kind}
          type="button"
          class="kind-chip"
          aria-pressed={!f.hiddenKinds.has(kind)}
          title={`${f.hiddenKinds.has(kind) ? "Show" : "Hide"} ${kindLabel(kind)}. With Alt: only these`}
          onClick={(e) => {
            if (e.altKey) s.filters.value = { ...f, hiddenKinds: new Set(s.kinds.value.map(([k]) => k).filter((k) => k !== kind)) };
            else s.filters.value = { ...f, hiddenKinds: flip(f.hiddenKinds, kind) };
          }}
        >
          <Kind kind={kind} small />
          <span>{kindLabel(kind)}</span>
          <span class="count">{count(n)}</span>
        </button>
      ))}
    </div>
  );
}

function FilterPanel() {
  const f = s.filters.value;
  const set = (part: Partial<s.Filters>) => (s.filters.value = { ...f, ...part });
  const { items, nodes, lines } = s.sheet.value;
  const tally = { unreferenced: 0, orphan: 0, broken: 0, drifted: 0, error: 0, warn: 0, any: 0 };
  for (let i = 0; i < nodes; i++) {
    const n = items[i];
    if (n.in === 0) tally.unreferenced++;
    if (n.in === 0 && n.out === 0) tally.orphan++;
    if (n.broken > 0) tally.broken++;
    if (n.drift !== "" && n.drift !== "fresh") tally.drifted++;
    if (n.errors) tally.error++;
    if (n.errors || n.warns) tally.warn++;
    if (n.errors || n.warns || n.infos) tally.any++;
  }
  const byLink = new Map<string, number>();
  for (let i = 0; i < lines.kind.length; i++) {
    const k = lines.broken[i] ? "broken" : linkKinds[lines.kind[i]];
    byLink.set(k, (byLink.get(k) ?? 0) + 1);
  }
  const ghosts = items.length - nodes;
  return (
    <div class="filters">
      <fieldset>
        <legend>Kinds</legend>
        {s.kinds.value.map(([kind, n]) => (
          <Check key={kind} on={!f.hiddenKinds.has(kind)} n={n} onFlip={() => set({ hiddenKinds: flip(f.hiddenKinds, kind) })}>
            <Kind kind={kind} small /> {kindLabel(kind)}
          </Check>
        ))}
        {ghosts > 0 && (
          <Check on={!f.hiddenKinds.has("ghost")} n={ghosts} onFlip={() => set({ hiddenKinds: flip(f.hiddenKinds, "ghost") })}>
            <Kind kind="ghost" small /> Missing targets
          </Check>
        )}
      </fieldset>
      {s.providers.value.length > 1 && (
        <fieldset>
          <legend>Providers</legend>
          {s.providers.value.map(([p, n]) => (
            <Check key={p} on={!f.hiddenProviders.has(p)} n={n} onFlip={() => set({ hiddenProviders: flip(f.hiddenProviders, p) })}>
              {providerLabel(p)}
            </Check>
          ))}
        </fieldset>
      )}
      <fieldset>
        <legend>Trouble</legend>
        <Radio name="severity" on={f.severity === ""} n={nodes} onPick={() => set({ severity: "" })}>All nodes</Radio>
        <Radio name="severity" on={f.severity === "any"} n={tally.any} onPick={() => set({ severity: "any" })}>With any issue</Radio>
        <Radio name="severity" on={f.severity === "warn"} n={tally.warn} onPick={() => set({ severity: "warn" })}>Warnings and errors</Radio>
        <Radio name="severity" on={f.severity === "error"} n={tally.error} onPick={() => set({ severity: "error" })}>Errors</Radio>
      </fieldset>
      <fieldset>
        <legend>Only</legend>
        <Radio name="only" on={f.only === "all"} n={nodes} onPick={() => set({ only: "all" })}>Everything</Radio>
        <Radio name="only" on={f.only === "unreferenced"} n={tally.unreferenced} onPick={() => set({ only: "unreferenced" })}>Nothing links to it</Radio>
        <Radio name="only" on={f.only === "orphan"} n={tally.orphan} onPick={() => set({ only: "orphan" })}>No links at all</Radio>
        <Radio name="only" on={f.only === "broken"} n={tally.broken} onPick={() => set({ only: "broken" })}>With a broken link</Radio>
        <Radio name="only" on={f.only === "drifted"} n={tally.drifted} onPick={() => set({ only: "drifted" })}>Sidecar drifted</Radio>
      </fieldset>
      <fieldset>
        <legend>Links</legend>
        {[...linkKinds, "broken"].map((k) => (
          <Check key={k} on={!f.hiddenLinks.has(k)} n={byLink.get(k) ?? 0} onFlip={() => set({ hiddenLinks: flip(f.hiddenLinks, k) })}>
            <LinkLine kind={k} /> {k}
          </Check>
        ))}
      </fieldset>
      <div class="filters-foot">
        <Button small icon="undo" disabled={!s.isFiltered.value && s.overrides.value.size === 0} onClick={act.showAll}>
          Show everything
        </Button>
      </div>
    </div>
  );
}

function Check({ on, n, onFlip, children }: { on: boolean; n: number; onFlip: () => void; children: preact.ComponentChildren }) {
  return (
    <label class="check">
      <input type="checkbox" checked={on} onChange={onFlip} />
      <span class="check-text">{children}</span>
      <span class="count">{count(n)}</span>
    </label>
  );
}

function Radio({ name, on, n, onPick, children }: { name: string; on: boolean; n: number; onPick: () => void; children: preact.ComponentChildren }) {
  return (
    <label class="check">
      <input type="radio" name={name} checked={on} onChange={onPick} />
      <span class="check-text">{children}</span>
      <span class="count">{count(n)}</span>
    </label>
  );
}

// Finder is the search box, with what it finds below it.
export function Finder() {
  const open = useSignal(false);
  const at = useSignal(0);
  const found = s.found.value;
  const best = found?.best.slice(0, 12) ?? [];
  const pick = (i: number) => {
    const item = s.sheet.value.items[i];
    if (!item) return;
    open.value = false;
    act.reveal(item.ghost ? "\u0000" + item.path : item.path);
    (document.activeElement as HTMLElement | null)?.blur();
    document.querySelector<HTMLElement>(".map-box")?.focus();
  };
  return (
    <div class="finder" role="search" onFocusOut={(e) => !(e.currentTarget as HTMLElement).contains(e.relatedTarget as globalThis.Node | null) && (open.value = false)}>
      <Icon name="search" />
      <input
        id="finder"
        type="text"
        role="combobox"
        placeholder="Search names, paths, tags…"
        aria-label="Search the map"
        aria-expanded={open.value && found !== null}
        aria-controls="found"
        aria-autocomplete="list"
        aria-activedescendant={open.value && best.length > 0 ? "found-" + at.value : undefined}
        autocomplete="off"
        spellcheck={false}
        value={s.query.value}
        onFocus={() => (open.value = true)}
        onInput={(e) => {
          s.query.value = (e.currentTarget as HTMLInputElement).value;
          open.value = true;
          at.value = 0;
        }}
        onKeyDown={(e) => {
          if (e.key === "ArrowDown") at.value = Math.min(best.length - 1, at.value + 1);
          else if (e.key === "ArrowUp") at.value = Math.max(0, at.value - 1);
          else if (e.key === "Enter" && best.length > 0) pick(best[at.value]);
          else if (e.key === "Escape") {
            if (s.query.value) s.query.value = "";
            else (e.currentTarget as HTMLElement).blur();
          } else return;
          e.preventDefault();
          e.stopPropagation();
        }}
      />
      {!s.query.value && <kbd class="finder-key">/</kbd>}
      {open.value && (
        <div class="found" onMouseDown={(e) => e.preventDefault()}>
          {found === null ? (
            <div class="found-help">
              <p>Every word must fit. These narrow it:</p>
              <ul>
                {help.map(([word, means]) => (
                  <li key={word}>
                    <button type="button" tabIndex={-1} onClick={() => (s.query.value = word + " ")}>
                      <code>{word}</code>
                    </button>{" "}
                    {means}
                  </li>
                ))}
              </ul>
            </div>
          ) : null}
          <ul id="found" role="listbox" aria-label="Found" hidden={found === null}>
            {best.map((i, k) => {
              const item = s.sheet.value.items[i];
              return (
                <li key={i} id={"found-" + k} role="option" aria-selected={k === at.value} class={k === at.value ? "is-current" : ""} onClick={() => pick(i)} onMouseEnter={() => (at.value = k)}>
                  <Kind kind={item.kind} small />
                  <span class="found-name">{item.name}</span>
                  <span class="found-path">{item.ghost ? "missing" : item.path}</span>
                </li>
              );
            })}
          </ul>
          {found !== null && (
            <p class="found-foot">{found.total === 0 ? "Nothing fits." : found.total > best.length ? `${found.total} fit; ${best.length} shown here, all on the map.` : "Enter opens it on the map."}</p>
          )}
        </div>
      )}
    </div>
  );
}
