// Names on the map: as many as there is room for, the weightiest first, none
// over another.

// Board remembers what is taken, by coarse squares.
export class Board {
  private squares = new Map<number, [number, number, number, number][]>();

  clear() {
    this.squares.clear();
  }

  // take claims a rectangle; false when some of it is taken.
  take(x: number, y: number, w: number, h: number, force = false): boolean {
    const x1 = x + w;
    const y1 = y + h;
    const from = x >> 6;
    const to = x1 >> 6;
    const top = y >> 6;
    const end = y1 >> 6;
    if (!force) {
      for (let gx = from; gx <= to; gx++) {
        for (let gy = top; gy <= end; gy++) {
          for (const r of this.squares.get(gx * 4096 + gy) ?? []) {
            if (x < r[2] && x1 > r[0] && y < r[3] && y1 > r[1]) return false;
          }
        }
      }
    }
    const rect: [number, number, number, number] = [x, y, x1, y1];
    for (let gx = from; gx <= to; gx++) {
      for (let gy = top; gy <= end; gy++) {
        const k = gx * 4096 + gy;
        const list = this.squares.get(k);
        if (list) list.push(rect);
        else this.squares.set(k, [rect]);
      }
    }
    return true;
  }
}

// Pen writes names and knows how wide they are.
export class Pen {
  private widths = new Map<string, number>();
  private font = "";

  constructor(readonly ctx: CanvasRenderingContext2D) {}

  use(font: string) {
    if (font === this.font) return;
    this.font = font;
    this.ctx.font = font;
    this.widths.clear();
  }

  // forget is for after the canvas was resized, which resets its font.
  forget() {
    this.font = "";
  }

  width(text: string): number {
    let w = this.widths.get(text);
    if (w === undefined) {
      w = this.ctx.measureText(text).width;
      if (this.widths.size > 20000) this.widths.clear();
      this.widths.set(text, w);
    }
    return w;
  }

  write(text: string, x: number, y: number, ink: string, ground: string) {
    this.ctx.strokeStyle = ground;
    this.ctx.strokeText(text, x, y);
    this.ctx.fillStyle = ink;
    this.ctx.fillText(text, x, y);
  }
}

export function short(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most - 1) + "…";
}
