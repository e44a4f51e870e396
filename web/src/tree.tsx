// The folders and files of the project, as far as the map knows them. Only the
// rows that are seen exist, so that 10,000 files cost what forty do.

import { computed, signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as act from "./act";
import { segments } from "./arrange";
import { nodeChoices } from "./map/map";
import { admits } from "./scope";
import { worst, type Item } from "./sheet";
import * as s from "./state";
import { Blank, Button, Icon, Kind, Menu } from "./ui";
import { count, plural } from "./words";

interface Branch {
  path: string;
  name: string;
  folders: Branch[];
  files: number[]; // indices of items
  nodes: number;
  errors: number;
  warns: number;
  tokens: number;
  shown: number;
}

const expanded = signal<ReadonlySet<string>>(new Set());

const root = computed<Branch>(() => {
  const top = branch("", "");
  const known = new Map<string, Branch>([["", top]]);
  const { items, nodes } = s.sheet.value;
  for (let i = 0; i < nodes; i++) {
    const parts = segments(items[i].path);
    let at = top;
    let path = "";
    for (const part of parts.slice(0, -1)) {
      path = path ? path + "/" + part : part;
      let next = known.get(path);
      if (!next) {
        next = branch(path, part);
        known.set(path, next);
        at.folders.push(next);
      }
      at = next;
    }
    at.files.push(i);
  }
  sum(top, items);
  return top;
});

function branch(path: string, name: string): Branch {
  return { path, name, folders: [], files: [], nodes: 0, errors: 0, warns: 0, tokens: 0, shown: 0 };
}

function sum(b: Branch, items: Item[]) {
  b.nodes = b.files.length;
  for (const i of b.files) {
    if (items[i].errors) b.errors++;
    else if (items[i].warns) b.warns++;
    b.tokens += items[i].tokens;
  }
  for (const f of b.folders) {
    sum(f, items);
    b.nodes += f.nodes;
    b.errors += f.errors;
    b.warns += f.warns;
    b.tokens += f.tokens;
  }
  b.folders.sort((a, c) => (a.name < c.name ? -1 : 1));
  b.files.sort((a, c) => (items[a].path < items[c].path ? -1 : 1));
}

type Row = { depth: number; set: number; of: number } & ({ folder: Branch; label: string; open: boolean } | { item: number; folder?: undefined });

// rows are what is unfolded. While one searches, what fits is unfolded.
const rows = computed<Row[]>(() => {
  const out: Row[] = [];
  const fits = s.found.value?.all ?? null;
  const some = (b: Branch): boolean => !fits || b.files.some((i) => fits[i]) || b.folders.some(some);
  const walk = (b: Branch, depth: number) => {
    const folders = b.folders.filter(some);
    const files = fits ? b.files.filter((i) => fits[i]) : b.files;
    const of = folders.length + files.length;
    folders.forEach((f, k) => {
      // A folder with nothing but one folder shares its row.
      let last = f;
      let label = f.name;
      while (last.files.length === 0 && last.folders.length === 1) {
        last = last.folders[0];
        label += "/" + last.name;
      }
      const open = fits !== null || expanded.value.has(last.path);
      out.push({ depth, set: k + 1, of, folder: last, label, open });
      if (open) walk(last, depth + 1);
    });
    files.forEach((item, k) => out.push({ depth, set: folders.length + k + 1, of, item }));
  };
  walk(root.value, 0);
  return out;
});

// unfold opens every folder above a path.
export function unfold(path: string) {
  const next = new Set(expanded.value);
  const parts = segments(path);
  for (let i = 1; i < parts.length; i++) next.add(parts.slice(0, i).join("/"));
  expanded.value = next;
}

// unfoldFirst opens what fits on a first look.
export function unfoldFirst() {
  const next = new Set<string>();
  let left = 26;
  let level = [root.value];
  while (level.length > 0) {
    const size = level.reduce((n, b) => n + b.folders.length + b.files.length, 0);
    if (size > left) break;
    left -= size;
    for (const b of level) next.add(b.path);
    level = level.flatMap((b) => b.folders);
  }
  expanded.value = next;
}

const high = 28;

export function Tree() {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const room = useSignal(600);
  const at = useSignal(0);
  const menu = useSignal<{ id: string | null; folder: string | null; x: number; y: number } | null>(null);
  const list = rows.value;
  const size = s.narrow.value ? 36 : high;

  useEffect(() => {
    const watch = new ResizeObserver(() => (room.value = box.current?.clientHeight ?? 600));
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (s.phase.value === "ready" && expanded.peek().size === 0) unfoldFirst();
  }, [s.phase.value]);

  // What is selected elsewhere is shown here.
  useEffect(() => {
    const item = s.selectedItem.value;
    if (!item || item.ghost) return;
    unfold(item.path);
    requestAnimationFrame(() => {
      const k = rows.value.findIndex((r) => r.folder === undefined && s.sheet.value.items[r.item]?.path === item.path);
      if (k >= 0) {
        at.value = k;
        bring(k);
      }
    });
  }, [s.selected.value]);

  const bring = (k: number) => {
    const b = box.current;
    if (!b) return;
    if (k * size < b.scrollTop) b.scrollTop = k * size;
    else if ((k + 1) * size > b.scrollTop + b.clientHeight) b.scrollTop = (k + 1) * size - b.clientHeight;
  };
  const flip = (path: string, open: boolean) => {
    const next = new Set(expanded.value);
    if (open) next.add(path);
    else next.delete(path);
    expanded.value = next;
  };
  const pathOf = (r: Row) => (r.folder ? r.folder.path : s.sheet.value.items[r.item].path);

  const onKeyDown = (e: KeyboardEvent) => {
    const r = list[at.value];
    const move = (k: number) => {
      at.value = Math.min(list.length - 1, Math.max(0, k));
      bring(at.value);
    };
    if (!r || e.ctrlKey || e.metaKey || e.altKey) return;
    switch (e.key) {
      case "ArrowDown":
        move(at.value + 1);
        break;
      case "ArrowUp":
        move(at.value - 1);
        break;
      case "Home":
        move(0);
        break;
      case "End":
        move(list.length - 1);
        break;
      case "PageDown":
        move(at.value + Math.floor(room.value / size));
        break;
      case "PageUp":
        move(at.value - Math.floor(room.value / size));
        break;
      case "ArrowRight":
        if (r.folder && !r.open) flip(r.folder.path, true);
        else move(at.value + 1);
        break;
      case "ArrowLeft":
        if (r.folder && r.open) flip(r.folder.path, false);
        else {
          let k = at.value - 1;
          while (k >= 0 && list[k].depth >= r.depth) k--;
          move(k);
        }
        break;
      case "Enter":
        if (r.folder) flip(r.folder.path, !r.open);
        else act.reveal(s.sheet.value.items[r.item].path);
        break;
      case " ":
        act.toggle(pathOf(r), admits(s.overrides.value, pathOf(r)) ? "exclude" : "include");
        break;
      case "ContextMenu":
        break;
      default:
        return;
    }
    e.preventDefault();
    e.stopPropagation();
  };

  if (list.length === 0) {
    return (
      <Blank icon="search" title="Nothing fits">
        <p>No file, name, tag or description has these words.</p>
        <Button small onClick={() => (s.query.value = "")}>Clear the search</Button>
      </Blank>
    );
  }
  const from = Math.max(0, Math.floor(top.value / size) - 6);
  const to = Math.min(list.length, Math.ceil((top.value + room.value) / size) + 6);
  const current = Math.min(at.value, list.length - 1);
  return (
    <div class="tree-box">
      <div
        ref={box}
        class="tree"
        role="tree"
        aria-label="Files"
        tabIndex={0}
        aria-activedescendant={current >= from && current < to ? "row-" + current : undefined}
        onScroll={(e) => (top.value = (e.currentTarget as HTMLElement).scrollTop)}
        onKeyDown={onKeyDown}
      >
        <div class="tree-all" role="presentation" style={{ height: list.length * size + "px" }}>
          {list.slice(from, to).map((r, k) => {
            const row = from + k;
            const path = pathOf(r);
            const on = admits(s.overrides.value, path);
            const item = r.folder ? null : s.sheet.value.items[r.item];
            const isShown = r.folder ? on : s.shown.value[r.item] === 1;
            const chosen = item !== null && s.selected.value === item.path;
            const own = s.overrides.value.get(path);
            return (
              <div
                key={path}
                id={"row-" + row}
                class={"row" + (row === current ? " is-current" : "") + (isShown ? "" : " is-off") + (chosen ? " is-chosen" : "")}
                role="treeitem"
                aria-level={r.depth + 1}
                aria-setsize={r.of}
                aria-posinset={r.set}
                aria-expanded={r.folder ? r.open : undefined}
                aria-selected={chosen}
                style={{ top: row * size + "px", height: size + "px", paddingLeft: 6 + r.depth * 14 + "px" }}
                onClick={() => {
                  at.value = row;
                  if (r.folder) flip(r.folder.path, !r.open);
                  else act.reveal(path);
                }}
                onContextMenu={(e) => {
                  e.preventDefault();
                  at.value = row;
                  menu.value = { id: r.folder ? null : path, folder: r.folder ? path : null, x: e.clientX, y: e.clientY };
                }}
                onMouseEnter={() => item && act.theChart()?.hover(path)}
                onMouseLeave={() => item && act.theChart()?.hover(null)}
              >
                {r.folder ? <span class={"fold" + (r.open ? " is-open" : "")}><Icon name="chevron" /></span> : <Kind kind={item!.kind} small />}
                <span class="row-name" title={path}>{r.folder ? r.label.replace(/:\/$/, "://") : fileName(path)}</span>
                <span class="sr">{rowFacts(r, item)}</span>
                <span class="row-facts" aria-hidden="true">
                  {r.folder ? (
                    <>
                      {r.folder.errors > 0 && <span class="badge is-error" title={plural(r.folder.errors, "node") + " with errors"}>{count(r.folder.errors)}</span>}
                      {r.folder.warns > 0 && <span class="badge is-warn" title={plural(r.folder.warns, "node") + " with warnings"}>{count(r.folder.warns)}</span>}
                      <span class="row-count" title={`${plural(r.folder.nodes, "node")}, ${count(r.folder.tokens)} tokens`}>{count(r.folder.nodes)}</span>
                    </>
                  ) : (
                    <>
                      {s.pins.value.has(path) && <Icon name="pin" />}
                      {item!.drift.startsWith("stale") && <span class="badge is-info" title="Changed since its sidecar was written">drift</span>}
                      {worst(item!) && worst(item!) !== "info" && <span class={"badge is-" + worst(item!)} title={plural(item!.errors + item!.warns, "issue")}>{item!.errors + item!.warns}</span>}
                      <span class="row-count" title={plural(item!.tokens, "token")}>{item!.tokens ? count(item!.tokens) : ""}</span>
                    </>
                  )}
                </span>
                <button
                  type="button"
                  tabIndex={-1}
                  aria-hidden="true"
                  class={"row-eye" + (own ? " is-own" : "")}
                  title={on ? "Hide (Space)" : "Show (Space)"}
                  onClick={(e) => {
                    e.stopPropagation();
                    act.toggle(path, on ? "exclude" : "include");
                  }}
                >
                  <Icon name={on ? "eye" : "eye-off"} />
                </button>
              </div>
            );
          })}
        </div>
      </div>
      {menu.value && (
        <Menu
          label="File"
          x={menu.value.x}
          y={menu.value.y}
          onClose={() => (menu.value = null)}
          choices={[
            { label: "Show only this", icon: "eye", run: () => act.isolate([(menu.value?.folder ?? menu.value?.id)!]) },
            ...(menu.value.folder !== null
              ? [{ label: "Hide folder", icon: "eye-off", run: () => act.toggle(menu.value!.folder!, "exclude") }, { label: "Copy path", icon: "copy", run: () => void act.copy(menu.value!.folder!, "Path") }]
              : nodeChoices(menu.value.id)),
          ]}
        />
      )}
    </div>
  );
}

// rowFacts is what a row shows in figures, in words.
function rowFacts(r: Row, item: Item | null): string {
  const off = item ? s.shown.value[(r as { item: number }).item] !== 1 : !admits(s.overrides.value, r.folder!.path);
  const facts = r.folder
    ? [`folder of ${plural(r.folder.nodes, "node")}`, r.folder.errors && `${r.folder.errors} with errors`, r.folder.warns && `${r.folder.warns} with warnings`]
    : [item!.kind, plural(item!.tokens, "token"), item!.errors && plural(item!.errors, "error"), item!.warns && plural(item!.warns, "warning")];
  return ", " + [...facts, off && "hidden"].filter(Boolean).join(", ");
}

function fileName(path: string): string {
  const parts = segments(path);
  return parts[parts.length - 1];
}
