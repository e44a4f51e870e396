// The picture: sigma draws nodes and links, this decides how each looks, and
// lays folders beneath and names and cards above.
//
// A chart is told what is so (draw, paint) and tells what people do to it. It
// keeps no opinion of the page's state.

import { MultiDirectedGraph } from "graphology";
import Sigma from "sigma";
import { cell, type Disc } from "../arrange";
import { id, linkKinds, worst, type Item, type Sheet } from "../sheet";
import { linkPasses, type Filters } from "../state";
import { Board, Pen, short } from "./names";
import { Cards, cardHeight, cardWidth } from "./cards";
import { Glyphs, LoudGlyphs, motion, nearness, shapeOf, shapes } from "./glyphs";
import { faded, mix, type Palette } from "./palette";
import { createEdgeCompoundProgram, createNodeCompoundProgram } from "sigma/rendering";
import { Dots } from "./dots";
import { Hairs } from "./hairs";
import { strands } from "./strands";

// Scene is how the map is to look.
export interface Scene {
  shown: Uint8Array;
  lit: Uint8Array | null;
  litLines: Uint8Array | null; // of a path; null: those between what is lit
  selected: string | null;
  strand: { source: string; target: string } | null;
  marked: ReadonlySet<string>;
  pinned: ReadonlyMap<string, unknown>;
  filters: Filters;
  busy: ReadonlyMap<string, number>; // what agents work on, 0 to 1
}

export interface Doings {
  click(id: string, event: MouseEvent | TouchEvent): void;
  open(id: string): void;
  away(): void;
  menu(id: string | null, x: number, y: number): void;
  hover(id: string | null): void;
  strand(source: string, target: string): void;
  moved(id: string, x: number, y: number): void;
  lassoed(ids: string[], add: boolean): void;
  disc(path: string): void;
  eye(): void;
}

export interface Eye {
  x: number;
  y: number;
  scale: number;
}

const cardScale = 0.92; // from here on nodes are cards
const most = 2.4;

export class Chart {
  private graph = new MultiDirectedGraph();
  private sigma: Sigma | null = null;
  private sheet: Sheet | null = null;
  private at: Float32Array = new Float32Array();
  private discs: Disc[] = [];
  private discShown: boolean[] = [];
  private index = new Map<string, number>();
  private lineOf = new Map<string, number>();
  private order: number[] = []; // items, weightiest first
  private kindColour: string[] = [];
  private dimColour: string[] = [];
  private halos = new Map<string, number>(); // sparks that fade, by id
  private haloFrame = 0;
  private hovered: string | null = null;
  private dragging: { id: string; moved: boolean } | null = null;
  private restTimer = 0;
  private lastFrame = 0;
  private bounds = { x: [0, 1] as [number, number], y: [0, 1] as [number, number] };
  private many = false;
  private stageEl: HTMLElement;
  private under: HTMLCanvasElement;
  private over: HTMLCanvasElement;
  private pen: Pen;
  private board = new Board();
  private cards: Cards;
  private watch: ResizeObserver;
  readonly frames: number[] = []; // lengths of the last frames in motion, for the bench

  constructor(
    private root: HTMLElement,
    private palette: Palette,
    private scene: Scene,
    private on: Doings,
  ) {
    this.under = layer(root, "canvas", "map-under") as HTMLCanvasElement;
    this.stageEl = layer(root, "div", "map-stage");
    this.over = layer(root, "canvas", "map-over") as HTMLCanvasElement;
    const cards = layer(root, "div", "map-cards");
    cards.setAttribute("aria-hidden", "true");
    this.cards = new Cards(cards);
    this.pen = new Pen(this.over.getContext("2d")!);
    this.listenToCards(cards);
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(root);
    this.resize();
  }

  kill() {
    this.watch.disconnect();
    cancelAnimationFrame(this.haloFrame);
    clearTimeout(this.restTimer);
    this.sigma?.kill();
    this.sigma = null;
    this.root.replaceChildren();
  }

  // --- what is so

  // draw shows a map. What was there and is still there is not moved.
  draw(sheet: Sheet, at: Float32Array, discs: Disc[]) {
    this.sheet = sheet;
    this.at = at;
    this.discs = discs;
    this.index = new Map(sheet.items.map((item, i) => [id(item), i]));
    this.order = sheet.items.map((_, i) => i).sort((a, b) => weight(sheet.items[b]) - weight(sheet.items[a]) || a - b);
    this.colour();
    const many = sheet.lines.source.length > 2500;
    if (this.sigma && many !== this.many) {
      this.sigma.kill();
      this.sigma = null;
      this.graph = new MultiDirectedGraph();
    }
    this.many = many;
    this.muchBroken = many && sheet.lines.broken.reduce((n, b) => n + b, 0) > 400;
    this.patch();
    this.cards.forget();
    if (!this.sigma) {
      this.bound();
      this.start();
    } else this.sigma.refresh();
  }

  // place moves items to where they are now, and sees anew how far the map
  // reaches.
  place(at: Float32Array, discs: Disc[], rebound: boolean) {
    this.at = at;
    this.discs = discs;
    if (!this.sigma || !this.sheet) return;
    this.graph.updateEachNodeAttributes(
      (key, attributes) => {
        const i = this.index.get(key);
        if (i === undefined) return attributes;
        attributes.x = at[2 * i];
        attributes.y = at[2 * i + 1];
        return attributes;
      },
      { attributes: ["x", "y"] },
    );
    if (rebound) {
      this.bound();
      this.sigma.setCustomBBox(this.bounds);
    }
    this.sigma.refresh();
  }

  // paint shows the same map in another light.
  paint(scene: Scene, palette: Palette) {
    const before = this.scene;
    const recoloured = palette !== this.palette;
    this.scene = scene;
    if (recoloured) {
      this.palette = palette;
      this.colour();
      this.cards.forget();
    }
    if (!this.sigma || !this.sheet) return;
    if (!this.sheetFits(scene)) return; // a new map is on its way
    this.fewLit = scene.lit !== null && scene.lit.reduce((n, v) => n + v, 0) <= 100;
    const changed = (Object.keys(scene) as (keyof Scene)[]).filter((k) => scene[k] !== before[k]);
    if (!recoloured && changed.length === 0) return;
    const few = !recoloured && changed.every((k) => k === "selected" || k === "strand" || k === "marked" || k === "pinned" || k === "busy");
    if (!few) this.sigma.refresh();
    else this.repaint([before.selected, scene.selected, before.strand?.source, scene.strand?.source, ...before.marked, ...scene.marked, ...before.busy.keys(), ...scene.busy.keys()]);
  }

  private muchBroken = false; // more than can each be drawn with care
  private fewLit = false; // what stands out is few enough to be named and glow

  private sheetFits(scene: Scene): boolean {
    return scene.shown.length === this.sheet!.items.length;
  }

  // spark lights nodes up for a moment: they changed.
  spark(ids: string[], still: boolean) {
    const known = ids.filter((k) => this.index.has(k)).slice(0, 200);
    if (known.length === 0) return;
    this.cards.spark(known);
    const now = performance.now();
    for (const k of known) this.halos.set(k, now);
    if (still) {
      this.repaint(known);
      setTimeout(() => {
        known.forEach((k) => this.halos.delete(k));
        this.repaint(known);
      }, 2500);
      return;
    }
    cancelAnimationFrame(this.haloFrame);
    const step = () => {
      const t = performance.now();
      const lit = [...this.halos.keys()];
      for (const [k, since] of this.halos) if (t - since > 2200) this.halos.delete(k);
      this.repaint(lit);
      if (this.halos.size > 0) this.haloFrame = requestAnimationFrame(step);
    };
    this.haloFrame = requestAnimationFrame(step);
  }

  // --- where one looks

  get eye(): Eye {
    const s = this.sigma;
    if (!s) return { x: 0, y: 0, scale: 1 };
    const { width, height } = s.getDimensions();
    const c = s.viewportToGraph({ x: width / 2, y: height / 2 }, { cameraState: s.getCamera().getState() });
    return { x: c.x, y: c.y, scale: this.scale };
  }

  // scale is how many pixels of the page one of the map takes.
  get scale(): number {
    const s = this.sigma!;
    // By the camera as it is set, which may be ahead of what is drawn.
    const now = { cameraState: s.getCamera().getState() };
    const a = s.graphToViewport({ x: 0, y: 0 }, now);
    const b = s.graphToViewport({ x: 1000, y: 0 }, now);
    return Math.hypot(b.x - a.x, b.y - a.y) / 1000;
  }

  look(eye: Eye, calm: boolean) {
    const s = this.sigma;
    if (!s) return;
    const camera = s.getCamera();
    const unit = this.scale * camera.ratio;
    const now = { cameraState: camera.getState() };
    const to = s.viewportToFramedGraph(s.graphToViewport({ x: eye.x, y: eye.y }, now), now);
    const ratio = unit / Math.min(most, eye.scale);
    if (calm) camera.setState({ x: to.x, y: to.y, ratio, angle: 0 });
    else void camera.animate({ x: to.x, y: to.y, ratio, angle: 0 }, { duration: 320, easing: "cubicInOut" });
  }

  // fit looks at these items, all that is shown when none are given.
  fit(which: number[] | null, calm: boolean) {
    const s = this.sigma;
    if (!s || !this.sheet) return;
    let x0 = Infinity;
    let y0 = Infinity;
    let x1 = -Infinity;
    let y1 = -Infinity;
    const see = (i: number) => {
      x0 = Math.min(x0, this.at[2 * i]);
      x1 = Math.max(x1, this.at[2 * i]);
      y0 = Math.min(y0, this.at[2 * i + 1]);
      y1 = Math.max(y1, this.at[2 * i + 1]);
    };
    if (which) which.forEach(see);
    else {
      for (let i = 0; i < this.sheet.items.length; i++) if (this.scene.shown[i]) see(i);
      const alive = this.livingDiscs();
      this.discs.forEach((d, k) => {
        if (!alive[k]) return;
        x0 = Math.min(x0, d.x - d.r + cell / 2);
        x1 = Math.max(x1, d.x + d.r - cell / 2);
        y0 = Math.min(y0, d.y - d.r + cell / 2);
        y1 = Math.max(y1, d.y + d.r - cell / 2);
      });
    }
    if (x0 > x1) return;
    const free = this.free();
    const margin = (which ? 2.4 : 1.2) * cell;
    const scale = Math.min((free.right - free.left) / (x1 - x0 + margin), (free.bottom - free.top) / (y1 - y0 + margin), which ? 1.15 : 1.25);
    this.look(this.amid((x0 + x1) / 2, (y0 + y1) / 2, scale), calm);
  }

  // amid is the look that has a place in the middle of what is free.
  private amid(x: number, y: number, scale: number): Eye {
    const { width, height } = this.sigma!.getDimensions();
    const free = this.free();
    return { x: x - ((free.left + free.right) / 2 - width / 2) / scale, y: y + ((free.top + free.bottom) / 2 - height / 2) / scale, scale };
  }

  // free is the part of the view that nothing lies over, with room for names.
  private free() {
    const { width, height } = this.sigma!.getDimensions();
    const narrow = width < 560;
    return { left: narrow ? 30 : 92, right: width - (narrow ? 30 : 52), top: narrow ? 24 : 22, bottom: height - (this.covered || (narrow ? 56 : 92)) };
  }

  // cover says how much of the view a sheet at the bottom hides.
  cover(bottom: number) {
    this.covered = bottom;
  }
  private covered = 0;

  goTo(key: string, calm: boolean) {
    const i = this.index.get(key);
    if (i === undefined) return;
    this.look(this.amid(this.at[2 * i], this.at[2 * i + 1], Math.max(this.scale, 0.55)), calm);
  }

  zoom(by: number, calm: boolean) {
    const e = this.eye;
    this.look({ ...e, scale: e.scale * by }, calm);
  }

  pan(dx: number, dy: number) {
    const s = this.sigma;
    if (!s) return;
    const { width, height } = s.getDimensions();
    const c = s.viewportToFramedGraph({ x: width / 2 + dx, y: height / 2 + dy });
    s.getCamera().setState({ x: c.x, y: c.y });
  }

  // next is the shown item that lies in a direction, the nearest by a measure
  // that prefers straight ahead; the middle of the view when nothing is chosen.
  next(from: string | null, dx: number, dy: number): string | null {
    if (!this.sheet) return null;
    const start = from === null ? undefined : this.index.get(from);
    const e = this.eye;
    const x = start === undefined ? e.x : this.at[2 * start];
    const y = start === undefined ? e.y : this.at[2 * start + 1];
    let best = -1;
    let least = Infinity;
    for (let i = 0; i < this.sheet.items.length; i++) {
      if (!this.scene.shown[i] || i === start || (this.scene.lit && !this.scene.lit[i])) continue;
      const vx = this.at[2 * i] - x;
      const vy = this.at[2 * i + 1] - y;
      const ahead = vx * dx + vy * dy;
      const aside = Math.abs(vx * dy - vy * dx);
      if (start !== undefined && ahead <= 1) continue;
      const cost = start === undefined ? Math.hypot(vx, vy) : ahead + aside * 2.2;
      if (cost < least) {
        least = cost;
        best = i;
      }
    }
    return best < 0 ? null : id(this.sheet.items[best]);
  }

  // spot is where an item is on the page, from the corner of the map.
  spot(key: string): { x: number; y: number } | null {
    const i = this.index.get(key);
    return i === undefined || !this.sigma ? null : this.sigma.graphToViewport({ x: this.at[2 * i], y: this.at[2 * i + 1] });
  }

  // nearest is the item at a point of the page, the nearest within reach.
  nearest(x: number, y: number): string | null {
    let best: string | null = null;
    let least = Infinity;
    if (!this.sheet || !this.sigma) return null;
    const scale = this.scale;
    const o = this.sigma.graphToViewport({ x: 0, y: 0 });
    this.sheet.items.forEach((item, i) => {
      if (!this.scene.shown[i]) return;
      const d = Math.hypot(o.x + this.at[2 * i] * scale - x, o.y - this.at[2 * i + 1] * scale - y);
      if (d < least && d <= Math.max(9, radius(item) * scale + 3)) {
        least = d;
        best = id(item);
      }
    });
    return best;
  }

  // inside lists the shown items within a polygon of the page.
  inside(polygon: [number, number][]): string[] {
    const found: string[] = [];
    if (!this.sheet || !this.sigma) return found;
    this.sheet.items.forEach((item, i) => {
      if (!this.scene.shown[i]) return;
      const p = this.sigma!.graphToViewport({ x: this.at[2 * i], y: this.at[2 * i + 1] });
      if (within(polygon, p.x, p.y)) found.push(id(item));
    });
    return found;
  }

  // onLook calls back whenever one looks elsewhere, until it is stopped.
  onLook(back: () => void): () => void {
    this.lookers.add(back);
    return () => this.lookers.delete(back);
  }
  private lookers = new Set<() => void>();

  view(): { x0: number; y0: number; x1: number; y1: number } {
    const s = this.sigma!;
    const { width, height } = s.getDimensions();
    const a = s.viewportToGraph({ x: 0, y: 0 });
    const b = s.viewportToGraph({ x: width, y: height });
    return { x0: Math.min(a.x, b.x), x1: Math.max(a.x, b.x), y0: Math.min(a.y, b.y), y1: Math.max(a.y, b.y) };
  }

  // --- the graph

  private patch() {
    const sheet = this.sheet!;
    const g = this.graph;
    const lines = new Map<string, number>();
    // The most telling links come first: what is broken, what runs something,
    // what is sure.
    const rank = [...sheet.lines.source.keys()].sort((a, b) => tell(sheet, b) - tell(sheet, a) || a - b);
    for (const i of rank) {
      const key = id(sheet.items[sheet.lines.source[i]]) + "\n" + id(sheet.items[sheet.lines.target[i]]) + "\n" + sheet.lines.kind[i];
      if (!lines.has(key)) lines.set(key, i);
    }
    this.lineOf = lines;
    const gone = g.filterNodes((key) => !this.index.has(key));
    gone.forEach((key) => g.dropNode(key));
    sheet.items.forEach((item, i) => {
      const key = id(item);
      if (g.hasNode(key)) g.mergeNodeAttributes(key, { x: this.at[2 * i], y: this.at[2 * i + 1] });
      else g.addNode(key, { x: this.at[2 * i], y: this.at[2 * i + 1] });
    });
    g.filterEdges((key) => !lines.has(key)).forEach((key) => g.dropEdge(key));
    for (const [key, i] of lines) {
      if (!g.hasEdge(key)) g.addDirectedEdgeWithKey(key, id(sheet.items[sheet.lines.source[i]]), id(sheet.items[sheet.lines.target[i]]), {});
    }
  }

  private bound() {
    let x0 = -cell;
    let x1 = cell;
    let y0 = -cell;
    let y1 = cell;
    for (let i = 0; i < this.at.length; i += 2) {
      x0 = Math.min(x0, this.at[i] - cell);
      x1 = Math.max(x1, this.at[i] + cell);
      y0 = Math.min(y0, this.at[i + 1] - cell);
      y1 = Math.max(y1, this.at[i + 1] + cell);
    }
    this.bounds = { x: [x0, x1], y: [y0, y1] };
  }

  // start makes the drawer with an empty graph and gives it the whole one once
  // it knows how far that reaches, so that everything is worked through once.
  private start() {
    const s = new Sigma(new MultiDirectedGraph(), this.stageEl, {
      allowInvalidContainer: true,
      renderLabels: false,
      itemSizesReference: "positions",
      zoomToSizeRatioFunction: (ratio) => ratio,
      stagePadding: 24,
      zIndex: true,
      defaultNodeType: "glyph",
      defaultEdgeType: "strand",
      nodeProgramClasses: { glyph: (this.many ? createNodeCompoundProgram([Dots, Glyphs, LoudGlyphs] as never) : Glyphs) as never },
      nodeHoverProgramClasses: {},
      edgeProgramClasses: { strand: this.many ? createEdgeCompoundProgram([Hairs as never, strands(true)]) : strands(false) },
      enableEdgeEvents: !this.many,
      nodeReducer: (key) => this.dressNode(key) as never,
      edgeReducer: (key) => this.dressEdge(key) as never,
      zoomingRatio: 1.5,
      zoomDuration: 180,
      inertiaDuration: 160,
      doubleClickZoomingRatio: 1,
      enableCameraRotation: false,
      defaultDrawNodeHover: () => {},
    });
    this.sigma = s;
    // Who is pointed at is found by where nodes lie: reading it off a hidden
    // picture, as sigma does, waits for the graphics card at each move.
    (s as unknown as { getNodeAtPosition(p: { x: number; y: number }): string | null }).getNodeAtPosition = (p) => this.nearest(p.x, p.y);
    s.setCustomBBox(this.bounds);
    s.on("beforeRender", () => this.approach());
    s.on("afterRender", () => this.overlay());
    s.on("resize", () => this.limit());
    s.setGraph(this.graph);
    this.limit();
    s.getCamera().on("updated", () => this.stir());
    this.listen(s);
  }

  // limit keeps the camera between the whole map and two cards.
  private limit() {
    const s = this.sigma;
    if (!s || s.getGraph().order === 0) return;
    const camera = s.getCamera();
    camera.minRatio = (this.scale * camera.ratio) / most;
    camera.maxRatio = 3;
  }

  private colour() {
    const p = this.palette;
    const items = this.sheet?.items ?? [];
    const of = (item: Item) => (item.ghost ? (item.broken ? p.error : p.quiet) : (p.kinds[item.kind] ?? p.quiet));
    this.kindColour = items.map(of);
    this.dimColour = items.map((item) => mix(of(item), p.canvas, p.dark ? 0.2 : 0.22));
  }

  private dressNode(key: string) {
    const i = this.index.get(key);
    const scene = this.scene;
    const item = i === undefined ? undefined : this.sheet!.items[i];
    if (i === undefined || !item || !scene.shown[i]) return { hidden: true, x: 0, y: 0, size: 0, color: "#000", type: "glyph", label: null };
    const dim = scene.lit !== null && !scene.lit[i] && key !== scene.selected;
    const chosen = key === scene.selected || scene.marked.has(key);
    const bad = worst(item);
    const since = this.halos.get(key);
    const spark = since === undefined ? 0 : Math.max(0, 1 - (performance.now() - since) / 2200);
    const busy = scene.busy.get(key) ?? 0;
    const ring = chosen ? this.palette.accent : dim ? "" : busy > 0 ? this.palette.accent : bad === "error" ? this.palette.error : bad === "warn" ? this.palette.warn : "";
    return {
      x: this.at[2 * i],
      y: this.at[2 * i + 1],
      size: radius(item) * (chosen || key === this.hovered ? 1.18 : 1),
      color: dim ? this.dimColour[i] : this.kindColour[i],
      shape: shapes[shapeOf(item.kind)],
      ring: ring || (spark > 0 ? this.palette.accent : ""),
      halo: Math.max(spark, busy, chosen ? 0.75 : this.many && this.fewLit && scene.lit?.[i] ? 0.5 : 0),
      zIndex: chosen ? 3 : dim ? 0 : scene.lit ? 2 : 1,
      type: "glyph",
      label: null,
      hidden: false,
    };
  }

  private dressEdge(key: string) {
    const i = this.lineOf.get(key);
    const sheet = this.sheet!;
    const scene = this.scene;
    const { lines } = sheet;
    if (i === undefined || !linkPasses(scene.filters, lines.kind[i], lines.broken[i])) return { hidden: true, size: 0, color: "#000", type: "strand" };
    const s = lines.source[i];
    const t = lines.target[i];
    if (!scene.shown[s] || !scene.shown[t]) return { hidden: true, size: 0, color: "#000", type: "strand" };
    const p = this.palette;
    const kind = linkKinds[lines.kind[i]];
    const broken = lines.broken[i] === 1;
    const inLight = scene.litLines ? scene.litLines[i] === 1 : scene.lit ? scene.lit[s] === 1 && scene.lit[t] === 1 : true;
    const source = id(sheet.items[s]);
    const target = id(sheet.items[t]);
    const chosen = source === scene.selected || target === scene.selected || source === this.hovered || target === this.hovered;
    const picked = scene.strand?.source === source && scene.strand.target === target;
    const crowd = Math.min(p.dark ? 0.62 : 0.7, Math.max(0.05, 15 / Math.sqrt(Math.max(1, lines.source.length))));
    let alpha = broken ? (this.muchBroken ? 0.45 : Math.max(0.75, crowd)) : crowd * (0.35 + 0.65 * lines.confidence[i]);
    let width = broken ? 1.8 : kind === "invokes" ? 1.5 : 1.15;
    if (scene.lit && !inLight && this.many) return { hidden: true, size: 0, color: "#000", type: "strand" };
    if (scene.lit && !inLight) alpha = Math.min(alpha, 0.04);
    else if (scene.lit) alpha = Math.max(alpha, 0.6);
    if (scene.litLines && inLight) {
      alpha = 1;
      width = 2.8;
    }
    if (chosen && (!scene.lit || inLight)) {
      alpha = Math.max(alpha, 0.92);
      width += 0.6;
    }
    if (picked) {
      alpha = 1;
      width = 3;
    }
    const colour = scene.litLines && inLight ? p.accent : broken ? p.links.broken : p.links[kind];
    return {
      size: width,
      color: faded(colour, alpha),
      dash: scene.litLines && inLight ? 0 : kind === "mentions" ? 1 : kind === "points" ? 2 : broken ? 1 : 0,
      bend: s === t ? 0 : this.many ? 0.04 : 0.1 + 0.05 * lines.kind[i],
      loud: alpha >= 0.5,
      zIndex: picked ? 4 : chosen ? 3 : inLight && scene.lit ? 2 : broken ? 1 : 0,
      type: "strand",
      hidden: false,
    };
  }

  // repaint dresses a few nodes and their links anew.
  private repaint(keys: Iterable<string | null | undefined>) {
    const s = this.sigma;
    if (!s) return;
    const nodes = new Set<string>();
    const edges = new Set<string>();
    for (const key of keys) {
      if (!key || nodes.has(key) || !this.graph.hasNode(key)) continue;
      nodes.add(key);
      if (this.graph.degree(key) < 3000) this.graph.forEachEdge(key, (edge) => void edges.add(edge));
    }
    if (nodes.size > 0) s.refresh({ partialGraph: { nodes: [...nodes], edges: [...edges] }, skipIndexation: true, schedule: true });
    else s.scheduleRender();
  }

  // --- frames

  // stir notes that the map moves, and comes to rest a little after it stops.
  private stir() {
    const now = performance.now();
    if (motion.moving) {
      const took = now - this.lastFrame;
      this.frames.push(took);
      if (this.frames.length > 600) this.frames.shift();
      const total = this.sheet?.lines.source.length ?? 0;
      // As many strands as fit into a frame: fewer at once, more by and by.
      if (this.many) {
        if (took > 24) motion.edges = Math.max(400, Math.min(motion.edges, total) * Math.max(0.4, 22 / took));
        else if (took < 15) motion.edges = Math.min(total, motion.edges * 1.15);
      }
    } else if (!Number.isFinite(motion.edges)) motion.edges = 6000;
    this.lastFrame = now;
    motion.moving = true;
    clearTimeout(this.restTimer);
    this.restTimer = window.setTimeout(() => {
      motion.moving = false;
      this.sigma?.scheduleRender();
      this.on.eye();
    }, 140);
  }

  private approach() {
    const scale = this.scale;
    const near = scale >= cardScale;
    nearness.halfWidth = near ? (cardWidth / 2) * cardSize(scale) + 1 : 0;
    nearness.halfHeight = near ? (cardHeight / 2) * cardSize(scale) + 1 : 0;
    nearness.fade = this.many ? Math.min(1, Math.max(0.3, scale * 4)) : 1;
    nearness.far = this.many && scale < 0.055;
    nearness.reach = this.many && scale > 0.05 ? 320 : 1e9;
    nearness.head = this.many && scale < 0.12 ? 0 : Math.min(9, 3 + scale * 9);
  }

  private resize() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: w, clientHeight: h } = this.root;
    for (const canvas of [this.under, this.over]) {
      canvas.width = Math.max(1, Math.round(w * ratio));
      canvas.height = Math.max(1, Math.round(h * ratio));
    }
    this.pen.forget();
    this.sigma?.scheduleRender();
  }

  private overlay() {
    const s = this.sigma;
    if (!s || !this.sheet || !this.sheetFits(this.scene)) return;
    const ratio = window.devicePixelRatio || 1;
    const { width, height } = s.getDimensions();
    const scale = this.scale;
    const o = s.graphToViewport({ x: 0, y: 0 });
    const px = (i: number) => o.x + this.at[2 * i] * scale;
    const py = (i: number) => o.y - this.at[2 * i + 1] * scale;
    const ctx = this.pen.ctx;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    this.board.clear();
    // The tools in the corner keep their place.
    this.board.take(0, 0, 58, 204, true);
    this.drawCards(scale, width, height, px, py);
    this.drawGround(scale, width, height, o, ratio);
    this.drawNames(scale, width, height, px, py);
    this.lookers.forEach((back) => back());
  }

  private drawCards(scale: number, width: number, height: number, px: (i: number) => number, py: (i: number) => number) {
    this.cards.begin();
    if (scale >= cardScale) {
      const size = cardSize(scale);
      const w = cardWidth * size;
      const h = cardHeight * size;
      const show = (i: number, force: boolean) => {
        const x = px(i);
        const y = py(i);
        if (x < -w || y < -h || x > width + w || y > height + h) return;
        if (!this.board.take(x - w / 2 - 3, y - h / 2 - 3, w + 6, h + 6, force)) return;
        const item = this.sheet!.items[i];
        const key = id(item);
        this.carded.add(i);
        this.cards.show(key, item, x, y, size, {
          selected: key === this.scene.selected || this.scene.marked.has(key), pinned: this.scene.pinned.has(key), colour: this.kindColour[i],
        });
      };
      this.carded.clear();
      const chosen = this.scene.selected === null ? undefined : this.index.get(this.scene.selected);
      if (chosen !== undefined && this.scene.shown[chosen]) show(chosen, true);
      const { lit, shown } = this.scene;
      for (const i of this.order) if (i !== chosen && shown[i] && (!lit || lit[i])) show(i, false);
    } else this.carded.clear();
    this.cards.end();
  }
  private carded = new Set<number>();

  private drawGround(scale: number, width: number, height: number, o: { x: number; y: number }, ratio: number) {
    const ctx = this.under.getContext("2d")!;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    if (this.discs.length === 0) return;
    const p = this.palette;
    this.pen.use(`600 12px ${p.font}`);
    const pen = this.pen.ctx;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.lineWidth = 3.5;
    const alive = this.livingDiscs();
    this.discs.forEach((d, k) => {
      if (!alive[k]) return;
      const x = o.x + d.x * scale;
      const y = o.y - d.y * scale;
      const r = d.r * scale;
      if (r < 5 || x + r < 0 || y + r < 0 || x - r > width || y - r > height) return;
      ctx.beginPath();
      ctx.arc(x, y, r, 0, 2 * Math.PI);
      ctx.fillStyle = p.dark ? (d.depth % 2 ? "#ffffff07" : "#ffffff09") : d.depth % 2 ? "#ffffff99" : "#eaeff4aa";
      ctx.fill();
      ctx.lineWidth = 1;
      ctx.strokeStyle = faded(p.line, p.dark ? 0.75 : 0.7);
      ctx.stroke();
    });
    // Names of the largest first; a disc that fills the view is named at the
    // top of what is seen of it.
    for (const k of [...this.discs.keys()].sort((a, b) => this.discs[b].r - this.discs[a].r)) {
      const d = this.discs[k];
      const r = d.r * scale;
      if (!alive[k] || r < 26) continue;
      const x = o.x + d.x * scale;
      const y = o.y - d.y * scale;
      if (x + r < 0 || y + r < 0 || x - r > width || y - r > height) continue;
      if (r > Math.max(width, height) * 1.6) continue;
      const text = short(d.name, r > 90 ? 34 : 18);
      const w = this.pen.width(text) + 12;
      if (w > r * 2.4) continue;
      const tx = Math.min(width - w / 2 - 6, Math.max(w / 2 + 6, x));
      const ty = Math.max(16, y - r + 1);
      if (ty > y + r || Math.abs(tx - x) > r) continue;
      if (!this.board.take(tx - w / 2, ty - 10, w, 20)) continue;
      pen.fillStyle = p.canvas;
      pen.beginPath();
      pen.roundRect(tx - w / 2, ty - 9, w, 18, 9);
      pen.fill();
      pen.strokeStyle = faded(p.line, 0.75);
      pen.lineWidth = 1;
      pen.stroke();
      pen.fillStyle = p.quiet;
      pen.fillText(text, tx, ty + 0.5);
    }
  }

  // livingDiscs says which folders have something shown.
  private livingDiscs(): boolean[] {
    if (this.discKey !== this.scene.shown || this.discShown.length !== this.discs.length || this.discFor !== this.discs) {
      this.discKey = this.scene.shown;
      this.discFor = this.discs;
      const folders = new Set<string>();
      this.sheet!.items.forEach((item, i) => {
        if (!this.scene.shown[i]) return;
        for (let p = item.path, cut = p.lastIndexOf("/"); cut > 0; cut = p.lastIndexOf("/")) {
          p = p.slice(0, cut);
          if (folders.has(p)) break;
          folders.add(p);
        }
      });
      this.discShown = this.discs.map((d) => folders.has(d.path));
    }
    return this.discShown;
  }
  private discKey: Uint8Array | null = null;
  private discFor: Disc[] | null = null;

  private drawNames(scale: number, width: number, height: number, px: (i: number) => number, py: (i: number) => number) {
    const p = this.palette;
    const pen = this.pen;
    const ctx = pen.ctx;
    pen.use(`500 ${scale > 0.5 ? 12.5 : 11.5}px ${p.font}`);
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.lineJoin = "round";
    ctx.lineWidth = 3.5;
    const { lit, shown, selected, marked } = this.scene;
    let left = 160;
    const done = new Set<number>();
    const write = (i: number, force: boolean) => {
      if (!shown[i] || this.carded.has(i) || done.has(i)) return;
      let x = px(i);
      const y = py(i);
      if (x < -60 || y < -20 || x > width + 60 || y > height + 20) return;
      const item = this.sheet!.items[i];
      const r = Math.max(1.5, radius(item) * scale);
      const text = short(item.name, 26);
      const w = pen.width(text) + 6;
      if (x > 0 && x < width) x = Math.min(width - w / 2 - 2, Math.max(w / 2 + 2, x));
      // Below, else above, else, where there is room, to the right of it.
      let tx = x;
      let ty = y + r + 11;
      if (!this.board.take(x - w / 2, ty - 8, w, 15, force)) {
        ty = y - r - 10;
        if (!this.board.take(x - w / 2, ty - 8, w, 15)) {
          if (this.many) return;
          tx = x + r + 2 + w / 2;
          ty = y;
          if (!this.board.take(tx - w / 2, ty - 8, w, 15)) return;
        }
      }
      left--;
      done.add(i);
      const dim = lit && !lit[i];
      pen.write(text, tx, ty, dim ? mix(p.quiet, p.canvas, 0.55) : force ? p.ink : item.ghost && item.broken ? p.error : p.ink, p.canvas);
    };
    for (const key of [this.hovered, selected, ...[...marked].slice(0, 20)]) {
      const i = key === null ? undefined : this.index.get(key);
      if (i !== undefined) write(i, true);
    }
    const least = this.fewLit ? 0 : lit ? 1.6 : this.sheet!.items.length < 80 ? 3 : 6;
    for (const i of this.order) {
      if (left <= 0) break;
      if (lit && !lit[i]) continue;
      if (radius(this.sheet!.items[i]) * scale < least) continue;
      write(i, false);
    }
  }

  // --- hands

  private listen(s: Sigma) {
    s.on("clickNode", ({ node, event }) => {
      if (!this.dragging?.moved) this.on.click(node, event.original);
    });
    s.on("doubleClickNode", ({ node, preventSigmaDefault }) => {
      preventSigmaDefault();
      this.on.open(node);
    });
    s.on("rightClickNode", ({ node, event, preventSigmaDefault }) => {
      preventSigmaDefault();
      event.original.preventDefault();
      this.on.menu(node, event.x, event.y);
    });
    s.on("clickStage", ({ event }) => {
      const d = this.discAt(event.x, event.y);
      if (d) this.on.disc(d);
      else this.on.away();
    });
    s.on("doubleClickStage", ({ preventSigmaDefault, event }) => {
      preventSigmaDefault();
      const c = s.viewportToGraph(event);
      this.look({ x: c.x, y: c.y, scale: this.scale * 1.8 }, false);
    });
    s.on("enterNode", ({ node }) => this.hover(node));
    s.on("leaveNode", () => this.hover(null));
    s.on("clickEdge", ({ edge }) => this.on.strand(this.graph.source(edge), this.graph.target(edge)));
    s.on("downNode", ({ node, event }) => {
      if ((event.original as MouseEvent).button > 0) return;
      this.dragging = { id: node, moved: false };
    });
    const captor = s.getMouseCaptor();
    captor.on("mousemovebody", (e) => {
      const d = this.dragging;
      if (!d) return;
      if (!d.moved && Math.hypot(e.original instanceof MouseEvent ? e.original.movementX : 0, e.original instanceof MouseEvent ? e.original.movementY : 0) < 1) return;
      d.moved = true;
      this.carry(d.id, s.viewportToGraph(e));
      e.preventSigmaDefault();
      e.original.preventDefault();
    });
    const drop = () => {
      const d = this.dragging;
      if (d?.moved) this.land(d.id);
      setTimeout(() => (this.dragging = null));
    };
    captor.on("mouseup", drop);
    this.stageEl.addEventListener("contextmenu", (e) => e.preventDefault());
  }

  private carry(key: string, to: { x: number; y: number }) {
    const i = this.index.get(key);
    if (i === undefined) return;
    this.at[2 * i] = to.x;
    this.at[2 * i + 1] = to.y;
    this.graph.mergeNodeAttributes(key, { x: to.x, y: to.y });
  }

  private land(key: string) {
    const i = this.index.get(key);
    if (i !== undefined) this.on.moved(key, this.at[2 * i], this.at[2 * i + 1]);
  }

  hover(key: string | null) {
    if (key === this.hovered || (key !== null && motion.moving)) return;
    const before = this.hovered;
    this.hovered = key;
    this.stageEl.style.cursor = key ? "pointer" : "";
    if (!motion.moving) this.repaint([before, key]);
    this.on.hover(key);
  }

  // discAt is the folder whose name or rim is at a point of the page.
  private discAt(x: number, y: number): string | null {
    const s = this.sigma;
    if (!s) return null;
    const scale = this.scale;
    const o = s.graphToViewport({ x: 0, y: 0 });
    for (const d of [...this.discs].sort((a, b) => a.r - b.r)) {
      const cx = o.x + d.x * scale;
      const cy = o.y - d.y * scale;
      const r = d.r * scale;
      if (r >= 26 && Math.abs(x - cx) < 60 && Math.abs(y - Math.max(16, cy - r)) < 10) return d.path;
    }
    return null;
  }

  // Cards lie over the picture, so they pass on what is meant for it.
  private listenToCards(root: HTMLElement) {
    const cardAt = (e: Event) => (e.target as HTMLElement).closest<HTMLElement>(".card");
    let held: { id: string; x: number; y: number; moved: boolean } | null = null;
    root.addEventListener("pointerdown", (e) => {
      const card = cardAt(e);
      if (!card || e.button !== 0) return;
      held = { id: card.dataset.id!, x: e.clientX, y: e.clientY, moved: false };
      card.setPointerCapture(e.pointerId);
    });
    root.addEventListener("pointermove", (e) => {
      if (!held || !this.sigma) return;
      if (!held.moved && Math.hypot(e.clientX - held.x, e.clientY - held.y) < 5) return;
      held.moved = true;
      const box = this.root.getBoundingClientRect();
      this.carry(held.id, this.sigma.viewportToGraph({ x: e.clientX - box.left, y: e.clientY - box.top }));
    });
    root.addEventListener("pointerup", () => {
      if (held?.moved) this.land(held.id);
      setTimeout(() => (held = null));
    });
    root.addEventListener("click", (e) => {
      const card = cardAt(e);
      if (card && !held?.moved) this.on.click(card.dataset.id!, e);
    });
    root.addEventListener("dblclick", (e) => {
      const card = cardAt(e);
      if (card) this.on.open(card.dataset.id!);
    });
    root.addEventListener("contextmenu", (e) => {
      const card = cardAt(e);
      if (!card) return;
      e.preventDefault();
      const box = this.root.getBoundingClientRect();
      this.on.menu(card.dataset.id!, e.clientX - box.left, e.clientY - box.top);
    });
    root.addEventListener("pointerover", (e) => this.hover(cardAt(e)?.dataset.id ?? null));
    root.addEventListener("pointerleave", () => this.hover(null));
    root.addEventListener(
      "wheel",
      (e) => {
        e.preventDefault();
        this.stageEl.querySelector(".sigma-mouse")?.dispatchEvent(new WheelEvent("wheel", e));
      },
      { passive: false },
    );
  }
}

function cardSize(scale: number): number {
  return Math.min(1.12, Math.max(0.9, scale * 0.97));
}

// radius of a node, in pixels of the map: more tokens, more room, within its
// cell.
export function radius(item: Item): number {
  if (item.ghost) return 19;
  if (item.tokens <= 0) return 28;
  return Math.min(56, 22 + 3.8 * Math.pow(Math.log2(1 + item.tokens / 24), 1.12));
}

function weight(item: Item): number {
  return item.in * 3 + item.out + Math.log2(1 + item.tokens) + (item.errors ? 4 : 0) - (item.ghost ? 6 : 0);
}

function tell(sheet: Sheet, i: number): number {
  return (sheet.lines.broken[i] ? 100 : 0) + (sheet.lines.kind[i] === 0 ? 4 : 0) + sheet.lines.confidence[i];
}

function within(polygon: [number, number][], x: number, y: number): boolean {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i];
    const [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}

function layer(root: HTMLElement, tag: string, name: string): HTMLElement {
  const e = document.createElement(tag);
  e.className = name;
  root.append(e);
  return e;
}
