// Of many things that a program is told of, the few that it draws: each at the
// place it was told for, packed when they changed.

export class Few {
  private at = new Map<number, Float32Array>();
  private changed = true;

  set(place: number, data: Float32Array | null) {
    if (data) this.at.set(place, data);
    else if (!this.at.delete(place)) return;
    this.changed = true;
  }

  clear() {
    this.at.clear();
    this.changed = true;
  }

  // take gives all of them, one after the other, when they changed since.
  take(stride: number): { count: number; data: Float32Array } | null {
    if (!this.changed) return null;
    this.changed = false;
    const data = new Float32Array(this.at.size * stride);
    let at = 0;
    for (const one of this.at.values()) {
      data.set(one, at);
      at += stride;
    }
    return { count: this.at.size, data };
  }
}
