// The page: a bar on top, files on the left, the map in the middle, details on
// the right. On a narrow page the sides become sheets over the map.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as act from "./act";
import { Details } from "./details";
import { choices as editorChoices, chosen as chosenEditor, editors, openIn, setEditor } from "./editor";
import { exportChoices } from "./exports";
import { Health } from "./health";
import { Jobs } from "./jobs";
import { ConsentDialog } from "./judgement";
import { Map } from "./map/map";
import { Finder, Rail } from "./rail";
import * as host from "./host";
import { keep } from "./shelf";
import { QuickStart } from "./start";
import * as s from "./state";
import { Button, Copy, Dialog, Icon, MenuButton, Notes, providerLabel, Segments, useClock } from "./ui";
import { openNth } from "./views";
import { count, exact, plural } from "./words";

export function App() {
  const help = useSignal(false);
  useEffect(() => {
    if (host.isFramed) return;
    keep("left", s.leftOpen.value);
    keep("right", s.rightOpen.value);
  }, [s.leftOpen.value, s.rightOpen.value]);
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => shortcut(e, () => (help.value = !help.value));
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  useEffect(() => {
    document.title = `${folder()} · Skill map`;
  }, []);
  const ready = s.phase.value === "ready";
  const narrow = s.narrow.value;
  const left = ready && (narrow ? s.sheetlet.value === "files" : s.leftOpen.value && s.view.value === "map");
  const right = ready && (narrow ? s.sheetlet.value === "details" : s.rightOpen.value && s.view.value === "map");
  return (
    <div class={"app" + (narrow ? " is-narrow" : "")}>
      <a class="skip" href="#stage" onClick={(e) => { e.preventDefault(); document.querySelector<HTMLElement>(".map-box, .health, .state")?.focus(); }}>
        Skip to the map
      </a>
      <TopBar help={() => (help.value = true)} />
      <Banners />
      <div class="body">
        {left && (
          <aside class="rail is-left" aria-label="Files, filters and views">
            {narrow && <SheetHead title="Files" />}
            <Rail />
          </aside>
        )}
        <main id="stage" class="stage">
          <h1 class="sr">Skill map of {folder()}</h1>
          {ready ? (
            <>
              <div class="stage-map" hidden={s.view.value !== "map"}>
                <Map />
              </div>
              {s.view.value === "health" && <Health />}
            </>
          ) : (
            <State />
          )}
          {ready && !narrow && s.view.value === "map" && (
            <>
              <Button class="edge-left" icon="chevron" label={s.leftOpen.value ? "Fold the files" : "Show the files"} tone="quiet" small aria-expanded={s.leftOpen.value} onClick={() => (s.leftOpen.value = !s.leftOpen.value)} />
              <Button class="edge-right" icon="chevron" label={s.rightOpen.value ? "Fold the details" : "Show the details"} tone="quiet" small aria-expanded={s.rightOpen.value} onClick={() => (s.rightOpen.value = !s.rightOpen.value)} />
            </>
          )}
        </main>
        {right && (
          <aside id="details" class="rail is-right" aria-label="Details" tabIndex={-1}>
            {narrow && <SheetHead title="Details" />}
            <Details />
          </aside>
        )}
        {s.drawer.value && !host.isForge && <Drawer key={s.drawer.value} which={s.drawer.value} />}
      </div>
      {narrow && ready && <Tabs />}
      <Notes />
      <ConsentDialog />
      {help.value && <Help onClose={() => (help.value = false)} />}
      <div class="sr" role="status" aria-live="polite">
        {s.spoken.value}
      </div>
    </div>
  );
}

function folder(): string {
  return s.scope.split(/[\\/]/).filter(Boolean).pop() ?? "project";
}

// Drawer takes the focus when it opens and gives it back when it closes.
function Drawer({ which }: { which: "jobs" | "start" }) {
  const head = useRef<HTMLHeadingElement>(null);
  const title = which === "jobs" ? "Jobs" : "Quick start";
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    head.current?.focus();
    return () => before?.focus?.();
  }, []);
  return (
    <aside class="drawer" aria-label={title}>
      <div class="drawer-head">
        <h2 ref={head} tabIndex={-1}>
          {title}
        </h2>
        <Button icon="close" label="Close" tone="quiet" onClick={() => (s.drawer.value = null)} />
      </div>
      {which === "jobs" ? <Jobs /> : <QuickStart />}
    </aside>
  );
}

function SheetHead({ title }: { title: string }) {
  return (
    <div class="sheet-head">
      <strong>{title}</strong>
      <Button icon="close" label="Close" tone="quiet" onClick={() => (s.sheetlet.value = null)} />
    </div>
  );
}

function TopBar({ help }: { help: () => void }) {
  const narrow = s.narrow.value;
  return (
    <header class="top">
      <div class="brand" title={s.scope}>
        <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
          <path d="M9 23 16 8l7 15M9 23h14" />
          <circle cx="16" cy="8" r="4.2" class="a" />
          <circle cx="8.5" cy="23.5" r="4.2" class="b" />
          <circle cx="23.5" cy="23.5" r="4.2" class="c" />
        </svg>
        {host.isForge && !host.isFramed ? (
          <a class="brand-name" href={host.home} title="Back to the repository">
            {s.scope} <span class="quiet">at {host.commit.slice(0, 8)}</span>
          </a>
        ) : (
          <span class="brand-name">{folder()}</span>
        )}
        {!narrow && s.sheet.value.meta.lens && <span class="brand-lens">{providerLabel(s.sheet.value.meta.lens)}</span>}
      </div>
      {s.phase.value === "ready" && <Finder />}
      <div class="top-tools">
        {!narrow && (
          <Segments
            label="View"
            value={s.view.value}
            choices={[
              { value: "map", label: "Map", icon: "map" },
              { value: "health", label: "Health", icon: "heart" },
            ]}
            onChoose={(v) => (s.view.value = v)}
          />
        )}
        {!host.isForge && <Live />}
        {!narrow && !host.isForge && (
          <>
            <Button tone="quiet" icon="queue" aria-label={`Jobs${s.liveJobs.value ? `, ${s.liveJobs.value} live` : ""}`} pressed={s.drawer.value === "jobs"} onClick={() => (s.drawer.value = s.drawer.value === "jobs" ? null : "jobs")} class={s.liveJobs.value ? "has-dot" : ""}>
              Jobs{s.liveJobs.value > 0 && <span class="count">{s.liveJobs.value}</span>}
            </Button>
            <Button tone="quiet" icon="rocket" aria-label="Quick start" pressed={s.drawer.value === "start"} onClick={() => (s.drawer.value = s.drawer.value === "start" ? null : "start")} class={s.needsRestart.value ? "has-dot" : ""}>
              Start
            </Button>
          </>
        )}
        <MenuButton
          label="Menu"
          icon="more"
          choices={() => [
            ...(narrow && !host.isForge
              ? [
                  { label: "Jobs", icon: "queue", run: () => (s.drawer.value = "jobs") },
                  { label: "Quick start", icon: "rocket", run: () => (s.drawer.value = "start") },
                  null,
                ]
              : []),
            ...(host.isForge ? [] : [{ label: "Scan again", icon: "refresh", run: () => void act.rescan() }]),
            { label: "Rearrange the map", icon: "undo", run: () => act.arrange(s.arrangement.value, true) },
            { label: "Copy link to this view", icon: "link", run: act.copyLink },
            null,
            ...exportChoices(),
            null,
            ...(host.isForge
              ? []
              : [
                  ...(["system", "light", "dark"] as s.Theme[]).map((t) => ({ label: { system: "Like the system", light: "Light", dark: "Dark" }[t], checked: s.theme.value === t, run: () => void (s.theme.value = t) })),
                  null,
                  ...editorChoices.map((e) => ({ label: `Edit with ${e.name}`, checked: chosenEditor() === e.id, run: () => setEditor(e.id) })),
                  null,
                ]),
            { label: "Keys", icon: "keyboard", hint: "?", run: help },
          ]}
        />
      </div>
    </header>
  );
}

function Live() {
  useClock(1);
  const line = s.line.value;
  const wait = Math.max(0, Math.ceil((s.retryAt.value - Date.now()) / 1000));
  const text = line === "live" ? "Live" : line === "connecting" ? "Connecting" : wait > 0 ? `Again in ${wait} s` : "Reconnecting";
  return (
    <button
      type="button"
      class={"live is-" + line}
      title={line === "live" ? "Changes show up as they happen" : "The server does not answer. Press to try now."}
      onClick={() => line !== "live" && act.reconnect()}
    >
      <span class="live-dot" />
      <span role="status">{text}</span>
    </button>
  );
}

function Banners() {
  const m = s.sheet.value.meta;
  const closed = useSignal<ReadonlySet<string>>(new Set());
  const close = (k: string) => (closed.value = new Set(closed.value).add(k));
  if (s.phase.value !== "ready") return null;
  return (
    <div class="banners">
      {s.line.value === "lost" && (
        <p class="banner is-warn" role="alert">
          <Icon name="alert" />
          <span>The server does not answer. The map is as it was; it follows again once <code>sm serve</code> is back.</span>
          <button type="button" class="link" onClick={act.reconnect}>
            Try now
          </button>
        </p>
      )}
      {s.needsRestart.value && !closed.value.has("restart") && (
        <p class="banner is-info" role="status">
          <Icon name="info" />
          <span>
            MCP is switched {s.wantsMcp.value ? "on" : "off"} in the settings, but this server started with it {s.health.value?.mcp ? "on" : "off"}. Stop <code>sm serve</code> and start it again to apply.
          </span>
          <Button icon="close" label="Dismiss" tone="quiet" small onClick={() => close("restart")} />
        </p>
      )}
      {m.truncated && !closed.value.has("cut") && (
        <p class="banner is-warn" role="status">
          <Icon name="alert" />
          <span>
            The scan stopped at its ceiling of {exact(m.ceiling)} nodes, so some files are missing here. {host.isForge ? "Clone the repository and run " : ""}<code>sm scan --max-scan {m.ceiling * 4}</code>{host.isForge ? " to see them." : " takes them in, and is remembered."}
          </span>
          <Button icon="close" label="Dismiss" tone="quiet" small onClick={() => close("cut")} />
        </p>
      )}
      {m.oversized.length > 0 && !closed.value.has("big") && (
        <p class="banner is-info" role="status">
          <Icon name="info" />
          <span>
            {plural(m.oversized.length, "file is", "files are")} too large to read and left out: {m.oversized.slice(0, 3).map((f) => f.path).join(", ")}
            {m.oversized.length > 3 && " and others"}.
          </span>
          <Button icon="close" label="Dismiss" tone="quiet" small onClick={() => close("big")} />
        </p>
      )}
    </div>
  );
}

function Tabs() {
  const tab = (label: string, icon: string, on: boolean, run: () => void, badge?: number) => (
    <button type="button" class={on ? "is-on" : ""} aria-pressed={on} onClick={run}>
      <Icon name={icon} />
      <span>{label}</span>
      {badge ? <span class="badge is-error">{count(badge)}</span> : null}
    </button>
  );
  const t = s.totals.value;
  return (
    <nav class="tabs" aria-label="Parts of the page">
      {tab("Map", "map", s.view.value === "map" && s.sheetlet.value === null, () => { s.view.value = "map"; s.sheetlet.value = null; s.drawer.value = null; })}
      {tab("Files", "folder", s.sheetlet.value === "files", () => { s.view.value = "map"; s.drawer.value = null; s.sheetlet.value = s.sheetlet.value === "files" ? null : "files"; })}
      {tab("Details", "info", s.sheetlet.value === "details", () => { s.view.value = "map"; s.drawer.value = null; s.sheetlet.value = s.sheetlet.value === "details" ? null : "details"; })}
      {tab("Health", "heart", s.view.value === "health", () => { s.view.value = "health"; s.sheetlet.value = null; s.drawer.value = null; }, t.errors)}
    </nav>
  );
}

// State is what stands where the map would be, when there is none.
function State() {
  switch (s.phase.value) {
    case "loading":
      return (
        <div class="state" role="status">
          <span class="state-mark is-turning">
            <Icon name="refresh" />
          </span>
          <h2>Reading the map</h2>
          <p>Large projects take a moment.</p>
        </div>
      );
    case "missing":
      return (
        <div class="state" tabIndex={-1}>
          <span class="state-mark">
            <Icon name="map" />
          </span>
          <h2>No map yet</h2>
          <p>
            Nothing in <code>{s.scope}</code> has been scanned. Run this in the project, and the map appears here:
          </p>
          <Copy label="Command that makes the map" text="sm scan" block />
          <Button icon="refresh" tone="main" onClick={act.load}>
            Look again
          </Button>
        </div>
      );
    case "empty":
      return (
        <div class="state" tabIndex={-1}>
          <span class="state-mark">
            <Icon name="folder" />
          </span>
          <h2>Nothing to map</h2>
          {host.isForge ? (
            <p>This commit has no Markdown file, skill, agent or command that is not ignored.</p>
          ) : (
            <>
              <p>The project has no Markdown file, skill, agent or command that is not ignored. The first one you write shows up here by itself.</p>
              <Copy label="Command that shows what is ignored" text="sm config get ignore" block />
              <Button icon="refresh" onClick={() => void act.rescan()}>
                Scan again
              </Button>
            </>
          )}
        </div>
      );
    case "fault":
      return (
        <div class="state" role="alert" tabIndex={-1}>
          <span class="state-mark is-bad">
            <Icon name="alert" />
          </span>
          <h2>The map did not come</h2>
          <p>{s.fault.value}</p>
          <Button icon="refresh" tone="main" onClick={() => { s.phase.value = "loading"; act.load(); }}>
            Try again
          </Button>
        </div>
      );
  }
  return null;
}

// --- keys

const keyList: [string, string][] = [
  ["/", "Search"],
  ["← ↑ → ↓", "Go from node to node, with the map focused"],
  ["Shift + arrows", "Move the map"],
  ["Enter", "Details of the selected node"],
  ["+ −", "Zoom"],
  ["0", "Show all"],
  ["F", "Focus on the selected node and its neighbours"],
  ["[ ]", "Fewer or more steps of neighbours"],
  ["P", "Path from the selected node to another"],
  ["L", "Lasso. Or hold Shift and draw"],
  ["T", "Pin or unpin the selected node"],
  ["H", "Hide what is selected"],
  ["A", "Show everything"],
  ["C", "Copy the path of the selected node"],
  ["E", host.isForge ? "See its file" : "Open it in the editor"],
  ["1 … 9", "Open a saved view"],
  ["G then M, H, J, S", "Map, health, jobs, quick start"],
  ["Esc", "Leave path, focus, selection, search, in this order"],
  ["?", "This list"],
];

function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose} wide>
      <dl class="keys">
        {keyList.filter(([k]) => !host.isForge || !k.startsWith("G ")).map(([k, what]) => (
          <div key={k}>
            <dt>
              <kbd>{k}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

let goes = 0; // when G was pressed

function shortcut(e: KeyboardEvent, help: () => void) {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey) return;
  const el = e.target as HTMLElement;
  if (el.closest("input, textarea, select, dialog, [role=menu]")) return;
  const inTree = el.closest("[role=tree]") !== null;
  const chart = act.theChart();
  const key = s.selected.value;
  const calm = s.isStill();
  if (goes && Date.now() - goes < 1200) {
    goes = 0;
    const to = e.key.toLowerCase();
    if (to === "m") s.view.value = "map";
    else if (to === "h") s.view.value = "health";
    else if (host.isForge) return;
    else if (to === "j") s.drawer.value = s.drawer.value === "jobs" ? null : "jobs";
    else if (to === "s") s.drawer.value = s.drawer.value === "start" ? null : "start";
    else return;
    e.preventDefault();
    return;
  }
  const ready = s.phase.value === "ready";
  switch (e.key) {
    case "?":
      help();
      break;
    case "/":
      document.getElementById("finder")?.focus();
      break;
    case "g":
      goes = Date.now();
      return;
    case "Escape":
      if (s.drawer.value && el.closest(".drawer")) s.drawer.value = null;
      else if (s.narrow.value && s.sheetlet.value) s.sheetlet.value = null;
      else act.back();
      break;
    default:
      if (!ready || s.view.value !== "map" || (inTree && e.key.length > 1)) return;
      if (!mapKey(e.key, key, chart, calm)) return;
  }
  e.preventDefault();
}

function mapKey(pressed: string, key: string | null, chart: ReturnType<typeof act.theChart>, calm: boolean): boolean {
  const item = key === null ? undefined : s.itemOf(key);
  switch (pressed) {
    case "+":
    case "=":
      chart?.zoom(1.5, calm);
      return true;
    case "-":
      chart?.zoom(1 / 1.5, calm);
      return true;
    case "0":
      chart?.fit(null, calm);
      return true;
    case "[":
      act.deepen(-1);
      return true;
    case "]":
      act.deepen(1);
      return true;
    case "f":
      if (key === null) return false;
      if (s.focus.value?.on === key) s.focus.value = null;
      else act.focusOn(key);
      return true;
    case "p":
      act.startPath(key);
      return true;
    case "l":
      s.tool.value = s.tool.value === "lasso" ? "move" : "lasso";
      return true;
    case "t":
      if (key !== null) act.togglePin(key);
      return key !== null;
    case "h":
      if (s.marked.value.size > 0) act.hide(s.marked.value);
      else if (key !== null) act.hide([key]);
      else return false;
      return true;
    case "a":
      act.showAll();
      return true;
    case "c":
      if (item) void act.copy(item.path, "Path");
      return item !== undefined;
    case "e":
      if (item && !item.ghost && !item.virtual) openIn(editors[0], item.path, 0);
      return item !== undefined;
  }
  if (/^[1-9]$/.test(pressed)) {
    openNth(Number(pressed));
    return true;
  }
  return false;
}
