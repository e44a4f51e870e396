// The whole map in a corner, with a frame around what is seen. A press or a
// drag looks elsewhere.

import { useEffect, useRef } from "preact/hooks";
import * as act from "../act";
import { cell } from "../arrange";
import * as s from "../state";
import { read } from "./palette";

const width = 168;
const height = 112;

export function Minimap({ eyed }: { eyed: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const fitted = useRef({ k: 1, x: 0, y: 0 });

  // The points are drawn when they change, the frame at each look.
  useEffect(() => {
    const c = canvas.current!;
    const ratio = devicePixelRatio || 1;
    c.width = width * ratio;
    c.height = height * ratio;
    const ctx = c.getContext("2d")!;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    const at = s.at.value;
    const { items } = s.sheet.value;
    if (at.length === 0 || at.length !== items.length * 2) return;
    let x0 = Infinity;
    let x1 = -Infinity;
    let y0 = Infinity;
    let y1 = -Infinity;
    for (let i = 0; i < at.length; i += 2) {
      x0 = Math.min(x0, at[i]);
      x1 = Math.max(x1, at[i]);
      y0 = Math.min(y0, at[i + 1]);
      y1 = Math.max(y1, at[i + 1]);
    }
    const k = Math.min(width / (x1 - x0 + 2 * cell), height / (y1 - y0 + 2 * cell)) * 0.94;
    fitted.current = { k, x: (x0 + x1) / 2, y: (y0 + y1) / 2 };
    const palette = read(s.registries.value, s.isDark.value);
    const shown = s.shown.value;
    const lit = s.lit.value;
    const size = items.length > 2000 ? 1 : items.length > 300 ? 1.6 : 2.6;
    for (let i = 0; i < items.length; i++) {
      if (!shown[i]) continue;
      ctx.globalAlpha = lit && !lit[i] ? 0.15 : 0.9;
      ctx.fillStyle = items[i].ghost ? (items[i].broken ? palette.error : palette.quiet) : (palette.kinds[items[i].kind] ?? palette.quiet);
      ctx.fillRect(width / 2 + (at[2 * i] - fitted.current.x) * k - size / 2, height / 2 - (at[2 * i + 1] - fitted.current.y) * k - size / 2, size, size);
    }
  }, [s.at.value, s.sheet.value, s.shown.value, s.lit.value, s.isDark.value, s.registries.value]);

  useEffect(() => {
    const place = () => {
      const chart = act.theChart();
      const box = frame.current;
      if (!chart || !box || s.sheet.value.items.length === 0) return;
      try {
        const v = chart.view();
        const { k, x, y } = fitted.current;
        const left = Math.max(0, width / 2 + (v.x0 - x) * k);
        const right = Math.min(width, width / 2 + (v.x1 - x) * k);
        const top = Math.max(0, height / 2 - (v.y1 - y) * k);
        const bottom = Math.min(height, height / 2 - (v.y0 - y) * k);
        box.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
        box.style.width = Math.max(4, right - left).toFixed(1) + "px";
        box.style.height = Math.max(4, bottom - top).toFixed(1) + "px";
      } catch {
        // The chart is not drawn yet.
      }
    };
    place();
    return act.theChart()?.onLook(place);
  }, [eyed, s.at.value]);

  const look = (e: PointerEvent) => {
    const chart = act.theChart();
    if (!chart || !(e.buttons & 1)) return;
    const r = canvas.current!.getBoundingClientRect();
    const { k, x, y } = fitted.current;
    const eye = chart.eye;
    chart.look({ x: x + (e.clientX - r.left - width / 2) / k, y: y - (e.clientY - r.top - height / 2) / k, scale: eye.scale }, true);
  };
  return (
    <div
      class="minimap"
      role="img"
      aria-label="The whole map, small. A frame marks what is seen."
      onPointerDown={(e) => {
        (e.currentTarget as HTMLElement).setPointerCapture(e.pointerId);
        look(e);
      }}
      onPointerMove={look}
    >
      <canvas ref={canvas} style={{ width: width + "px", height: height + "px" }} />
      <div ref={frame} class="minimap-frame" />
    </div>
  );
}
