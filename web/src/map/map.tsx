// The map on the page: the chart, and what lies over it.

import { batch, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as act from "../act";
import * as address from "../address";
import { linkKinds } from "../sheet";
import * as s from "../state";
import { Button, Chip, Icon, Kind, kindLabel, Menu, Segments, type Choice } from "../ui";
import { ago, count, plural } from "../words";
import { editors, openIn, opens } from "../editor";
import { Chart, type Scene } from "./chart";
import { Minimap } from "./minimap";
import { read as readPalette } from "./palette";

function sceneNow(): Scene {
  const w = s.way.value;
  let litLines: Uint8Array | null = null;
  if (w && w !== "none") {
    litLines = new Uint8Array(s.sheet.value.lines.source.length);
    for (const i of w.lines) litLines[i] = 1;
  }
  return {
    shown: s.shown.value,
    lit: s.lit.value,
    litLines,
    selected: s.selected.value,
    strand: s.strand.value,
    marked: s.marked.value,
    pinned: s.pins.value,
    filters: s.filters.value,
    busy: s.busy.value,
  };
}

export function Map() {
  const box = useRef<HTMLDivElement>(null);
  const broken = useSignal("");
  const menu = useSignal<{ id: string | null; x: number; y: number } | null>(null);
  const peek = useSignal<{ id: string; x: number; y: number } | null>(null);
  const rope = useSignal<[number, number][]>([]);
  const eyed = useSignal(0); // counts looks, for the minimap

  useEffect(() => {
    let chart: Chart | null = null;
    let drawn: unknown = null;
    let look = [s.isDark.peek(), s.registries.peek()] as const;
    let palette = readPalette(look[1], look[0]);
    const paint = () => {
      if (look[0] !== s.isDark.peek() || look[1] !== s.registries.peek()) {
        look = [s.isDark.peek(), s.registries.peek()];
        palette = readPalette(look[1], look[0]);
      }
      chart?.paint(sceneNow(), palette);
    };
    const make = () => {
      if (!document.createElement("canvas").getContext("webgl2")) {
        broken.value = "The browser gives no WebGL 2 context.";
        return;
      }
      try {
        chart = new Chart(box.current!, palette, sceneNow(), {
          click: (key, event) => {
            peek.value = null;
            if (s.tool.value === "path") act.endPath(key);
            else if (event.shiftKey || event.ctrlKey || event.metaKey) toggleMark(key);
            else act.choose(key);
          },
          open: (key) => act.focusOn(key),
          away: () => {
            if (s.tool.value === "move") s.select(null);
          },
          menu: (key, x, y) => {
            const r = box.current!.getBoundingClientRect();
            menu.value = { id: key, x: x + r.left, y: y + r.top };
          },
          hover: (key) => {
            const at = key === null ? null : chart!.spot(key);
            peek.value = key !== null && at && chart!.scale < 0.92 ? { id: key, ...at } : null;
          },
          strand: (source, target) =>
            batch(() => {
              s.select(null);
              s.strand.value = { source, target };
              if (s.narrow.value) s.sheetlet.value = "details";
              else s.rightOpen.value = true;
            }),
          moved: (key, x, y) => act.pin(key, x, y),
          lassoed: () => {},
          disc: (path) => act.isolate([path]),
          eye: () => eyed.value++,
        });
      } catch (err) {
        broken.value = err instanceof Error ? err.message : String(err);
        return;
      }
      act.setChart(chart);
    };
    make();

    // One effect for the map itself, one for its light.
    const stopDraw = s.sheet.subscribe((sheet) => {
      if (!chart || sheet.items.length === 0 || sheet === drawn) return;
      const first = drawn === null;
      drawn = sheet;
      const start = performance.now();
      try {
        paint();
        chart.draw(sheet, s.at.peek(), s.discs.peek());
        if (first) {
          if (address.eye) chart.look(address.eye, true);
          else chart.fit(null, true);
          const lit = s.lit.peek();
          if (!address.eye && lit && (s.focus.peek() || s.ends.peek())) act.frameLit();
          else if (!address.eye && s.selected.peek() && chart.scale < 0.25) chart.goTo(s.selected.peek()!, true);
        }
        act.took.picture = performance.now() - start;
        performance.mark("first-picture");
      } catch (err) {
        broken.value = err instanceof Error ? err.message : String(err);
      }
      eyed.value++;
    });
    const stopPaint = s.scene.subscribe(paint);
    return () => {
      stopDraw();
      stopPaint();
      chart?.kill();
      act.setChart(null);
    };
  }, []);

  // On a narrow page a sheet hides the lower part of the map.
  useEffect(() => {
    act.theChart()?.cover(s.narrow.value && s.sheetlet.value !== null ? (box.current?.clientHeight ?? 0) * 0.72 : 0);
    if (s.narrow.value && s.sheetlet.value === "details" && s.selected.peek()) act.theChart()?.goTo(s.selected.peek()!, s.isStill());
  }, [s.narrow.value, s.sheetlet.value]);

  // The lasso takes the pointer while it is the tool, or while Shift is held.
  const lasso = {
    onPointerDown: (e: PointerEvent) => {
      if (e.button !== 0 || !(s.tool.value === "lasso" || e.shiftKey)) return;
      if ((e.target as HTMLElement).closest(".over-map") || (s.tool.value !== "lasso" && (e.target as HTMLElement).closest(".card"))) return;
      e.preventDefault();
      e.stopPropagation();
      (e.currentTarget as HTMLElement).setPointerCapture(e.pointerId);
      rope.value = [at(e)];
    },
    onPointerMove: (e: PointerEvent) => {
      if (rope.value.length > 0) rope.value = [...rope.value, at(e)];
    },
    onPointerUp: (e: PointerEvent) => {
      if (rope.value.length === 0) return;
      const loop = rope.value;
      rope.value = [];
      if (loop.length < 6) {
        // No loop, so a press: it adds or takes what lies under it.
        const key = act.theChart()?.nearest(loop[0][0], loop[0][1]) ?? null;
        if (key !== null) toggleMark(key);
        return;
      }
      const ids = act.theChart()?.inside(loop) ?? [];
      s.mark(e.shiftKey && s.tool.value === "lasso" ? new Set([...s.marked.value, ...ids]) : ids);
      s.tool.value = "move";
      s.spoken.value = `${plural(ids.length, "node")} selected.`;
    },
  };
  const at = (e: PointerEvent): [number, number] => {
    const r = box.current!.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  };

  const peeked = peek.value && s.itemOf(peek.value.id);
  return (
    <div
      class={"map is-" + s.tool.value}
      {...lasso}
    >
      <div
        ref={box}
        class="map-box"
        tabIndex={0}
        role="application"
        aria-roledescription="map"
        aria-label={`Map of ${plural(s.sheet.value.nodes, "node")} and ${plural(s.sheet.value.lines.source.length, "link")}`}
        aria-describedby="map-help"
        onKeyDown={keys}
      />
      <p id="map-help" class="sr">
        Arrow keys go from node to node. Enter opens its details, F focuses on it, plus and minus zoom, 0 shows all, question mark lists every key.
      </p>
      {rope.value.length > 1 && (
        <svg class="rope" aria-hidden="true">
          <path d={"M" + rope.value.map((p) => p.map(Math.round).join(" ")).join("L") + "Z"} />
        </svg>
      )}
      {broken.value ? <NoPicture why={broken.value} /> : <Over eyed={eyed.value} />}
      {peeked && peek.value && !menu.value && (
        <div class="peek" style={{ left: peek.value.x + "px", top: peek.value.y + "px" }} aria-hidden="true">
          <strong>{peeked.name}</strong>
          <span class="peek-path">{peeked.ghost ? "no such file or node" : peeked.path}</span>
          {!peeked.ghost && (
            <span>
              {kindLabel(peeked.kind)} · {count(peeked.tokens)} tokens · {peeked.in} in · {peeked.out} out
              {peeked.errors + peeked.warns > 0 && ` · ${plural(peeked.errors + peeked.warns, "issue")}`}
            </span>
          )}
        </div>
      )}
      {menu.value && <Menu label="Node" x={menu.value.x} y={menu.value.y} onClose={() => (menu.value = null)} choices={nodeChoices(menu.value.id)} />}
    </div>
  );
}

// toggleMark adds one to the several that are selected, or takes it out.
function toggleMark(key: string) {
  const next = new Set(s.marked.value);
  if (s.selected.value !== null) next.add(s.selected.value);
  if (!next.delete(key)) next.add(key);
  s.mark(next);
}

// nodeChoices is what one can do to a node, wherever it is shown.
export function nodeChoices(key: string | null): (Choice | null)[] {
  const item = key === null ? undefined : s.itemOf(key);
  if (!item || key === null) return [];
  if (item.ghost) return [{ label: "Show who names it", icon: "focus", run: () => act.focusOn(key) }, { label: "Copy what it says", icon: "copy", run: () => void act.copy(item.path, "Target") }];
  const file = !item.virtual;
  return [
    { label: "Focus on its neighbours", icon: "focus", hint: "F", run: () => act.focusOn(key) },
    { label: "Find a path from here", icon: "path", hint: "P", run: () => act.startPath(key) },
    { label: s.pins.value.has(key) ? "Unpin" : "Pin here", icon: "pin", hint: "T", run: () => act.togglePin(key) },
    { label: "Hide", icon: "eye-off", hint: "H", run: () => act.hide([key]) },
    null,
    { label: "Copy path", icon: "copy", hint: "C", run: () => void act.copy(item.path, "Path") },
    ...(file ? [{ label: opens(), icon: "edit", run: () => openIn(editors[0], item.path, 0) }] : []),
  ];
}

function keys(e: KeyboardEvent) {
  const chart = act.theChart();
  if (!chart || e.altKey || e.ctrlKey || e.metaKey) return;
  const calm = s.isStill();
  const go = (dx: number, dy: number) => {
    if (e.shiftKey) {
      chart.pan(dx * 120, -dy * 120);
      return;
    }
    const to = chart.next(s.selected.value, dx, dy);
    if (to === null) return;
    act.choose(to, false);
    const p = chart.spot(to)!;
    const r = (e.currentTarget as HTMLElement).getBoundingClientRect();
    if (p.x < 60 || p.y < 60 || p.x > r.width - 60 || p.y > r.height - 60) chart.goTo(to, calm);
  };
  switch (e.key) {
    case "ArrowLeft":
      go(-1, 0);
      break;
    case "ArrowRight":
      go(1, 0);
      break;
    case "ArrowUp":
      go(0, 1);
      break;
    case "ArrowDown":
      go(0, -1);
      break;
    case "Enter":
      if (s.selected.value === null) return;
      if (s.tool.value === "path") act.endPath(s.selected.value);
      else {
        if (s.narrow.value) s.sheetlet.value = "details";
        else s.rightOpen.value = true;
        requestAnimationFrame(() => document.querySelector<HTMLElement>("#details h2")?.focus());
      }
      break;
    default:
      return;
  }
  e.preventDefault();
}

// Over is the tools and facts that lie over the picture.
function Over({ eyed }: { eyed: number }) {
  const chart = act.theChart();
  const calm = s.isStill();
  const hidden = s.sheet.value.nodes - s.shownCount.value;
  return (
    <>
      <div class="over-map over-tools" role="toolbar" aria-label="Map tools" aria-orientation="vertical">
        <Button icon="plus" label="Zoom in (+)" tone="quiet" onClick={() => chart?.zoom(1.6, calm)} />
        <Button icon="minus" label="Zoom out (-)" tone="quiet" onClick={() => chart?.zoom(1 / 1.6, calm)} />
        <Button icon="fit" label="Show all (0)" tone="quiet" onClick={() => chart?.fit(null, calm)} />
        <hr />
        <Button icon="lasso" label="Lasso: select several (L)" tone="quiet" pressed={s.tool.value === "lasso"} onClick={() => (s.tool.value = s.tool.value === "lasso" ? "move" : "lasso")} />
        <Button
          icon="path"
          label="Path between two nodes (P)"
          tone="quiet"
          pressed={s.tool.value === "path"}
          onClick={() => (s.tool.value === "path" ? act.back() : act.startPath(s.selected.value))}
        />
      </div>
      <div class="over-map over-top">
        <Modes />
      </div>
      <div class="over-map over-foot">
        <Legend />
        <p class="facts">
          {s.arranging.value !== null ? (
            <span role="status">Arranging… {Math.round(s.arranging.value * 100)} %</span>
          ) : (
            <>
              <span>
                <strong>{count(s.shownCount.value)}</strong> {s.shownCount.value === 1 ? "node" : "nodes"}
              </span>
              {hidden > 0 && (
                <button type="button" class="link" onClick={act.showAll}>
                  {count(hidden)} hidden, show all
                </button>
              )}
              <span>
                <strong>{count(s.sheet.value.lines.source.length)}</strong> {s.sheet.value.lines.source.length === 1 ? "link" : "links"}
              </span>
              <span class="facts-when">scanned {ago(s.sheet.value.meta.scannedAt)}</span>
            </>
          )}
        </p>
      </div>
      <div class="over-map over-corner">
        <Segments
          label="Arrangement"
          value={s.arrangement.value}
          choices={[
            { value: "folders", label: "Folders", title: "Files lie with their folder" },
            { value: "links", label: "Links", title: "What is linked draws together" },
          ]}
          onChoose={(v) => act.arrange(v)}
        />
        <Minimap eyed={eyed} />
      </div>
    </>
  );
}

// Modes says what the map is limited to, and how to leave that.
function Modes() {
  const f = s.focus.value;
  const on = f && s.itemOf(f.on);
  const w = s.way.value;
  const ends = s.ends.value;
  if (s.tool.value === "lasso") {
    return (
      <p class="mode" role="status">
        <Icon name="lasso" /> Draw around what you want to select. <button type="button" class="link" onClick={act.back}>Stop</button>
      </p>
    );
  }
  if (s.tool.value === "path") {
    const from = s.pathFrom.value === null ? null : s.itemOf(s.pathFrom.value);
    return (
      <p class="mode" role="status">
        <Icon name="path" /> {from ? <>Path from <strong>{from.name}</strong>: choose where to.</> : "Choose where the path starts."} <button type="button" class="link" onClick={act.back}>Stop</button>
      </p>
    );
  }
  if (ends && w) {
    const from = s.itemOf(ends.from);
    const to = s.itemOf(ends.to);
    return (
      <div class="mode" role="status">
        <Icon name="path" />
        <span>
          <strong>{from?.name ?? ends.from}</strong> → <strong>{to?.name ?? ends.to}</strong>
          {w === "none" ? ": no way leads there" : `: ${plural(w.items.length - 1, "step")}${w.against ? ", some against the links" : ""}`}
        </span>
        <Button icon="close" label="Leave the path (Esc)" tone="quiet" small onClick={() => (s.ends.value = null)} />
      </div>
    );
  }
  if (f) {
    return (
      <div class="mode" role="status">
        <Icon name="focus" />
        <span>
          <strong>{on?.name ?? f.on}</strong>
          {s.neighbourhood.value && <> and {plural(s.neighbourhood.value.size - 1, "neighbour")}</>}
        </span>
        <span class="stepper" role="group" aria-label="Depth">
          <Button icon="minus" label="Fewer steps ([)" tone="quiet" small disabled={f.depth <= 1} onClick={() => act.deepen(-1)} />
          <output aria-label="Steps">{f.depth}</output>
          <Button icon="plus" label="More steps (])" tone="quiet" small disabled={f.depth >= 6} onClick={() => act.deepen(1)} />
        </span>
        <Segments
          label="Direction"
          value={f.direction}
          choices={[
            { value: "in", label: "in", title: "Who leads here" },
            { value: "both", label: "both" },
            { value: "out", label: "out", title: "Where it leads" },
          ]}
          onChoose={(direction) => {
            s.focus.value = { ...f, direction };
            act.frameLit();
          }}
        />
        <Button icon="close" label="Leave the focus (Esc)" tone="quiet" small onClick={() => (s.focus.value = null)} />
      </div>
    );
  }
  if (s.found.value) {
    return (
      <div class="mode" role="status">
        <Icon name="search" />
        <span>
          {plural(s.found.value.total, "match", "matches")} for <strong>{s.query.value.trim()}</strong>
        </span>
        {s.found.value.total > 0 && (
          <button type="button" class="link" onClick={act.frameLit}>
            Zoom to them
          </button>
        )}
        <Button icon="close" label="Clear the search" tone="quiet" small onClick={() => (s.query.value = "")} />
      </div>
    );
  }
  return null;
}

function Legend() {
  // The rail shows the kinds already, when it is open.
  const present = s.leftOpen.value && !s.narrow.value ? [] : s.kinds.value.map(([k]) => k);
  const anyBroken = s.sheet.value.lines.broken.includes(1);
  return (
    <ul class="legend" aria-label="Legend">
      {present.map((k) => (
        <li key={k}>
          <Kind kind={k} small /> {kindLabel(k)}
        </li>
      ))}
      {linkKinds.map((k) => (
        <li key={k} class="legend-link">
          <LinkLine kind={k} /> {k}
        </li>
      ))}
      {anyBroken && (
        <li class="legend-link">
          <LinkLine kind="broken" /> broken
        </li>
      )}
    </ul>
  );
}

export function LinkLine({ kind }: { kind: string }) {
  return (
    <svg class={"link-line is-" + kind} viewBox="0 0 26 8" aria-hidden="true">
      <path d="M1 4h18" />
      <path class="link-head" d="M19 1l6 3-6 3z" />
    </svg>
  );
}

function NoPicture({ why }: { why: string }) {
  return (
    <div class="state">
      <span class="state-mark">
        <Icon name="map" />
      </span>
      <h2>This browser draws no map</h2>
      <p>The map needs WebGL 2, which is off or missing here. Files, details, search and the health view work without it.</p>
      <p class="state-small">{why}</p>
      <Chip icon="info">See chrome://gpu or about:support for the reason.</Chip>
    </div>
  );
}
