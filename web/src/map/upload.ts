// Sigma hands all it draws to the graphics card before each frame, changed or
// not: megabytes for a large map. Here they go only when they changed.

import type { ProgramInfo } from "sigma/rendering";

interface Parts {
  CONSTANT_ATTRIBUTES: { name: string }[];
  ATTRIBUTES: { name: string }[];
  constantArray: Float32Array;
  array: Float32Array;
}

export class Upload {
  private has = new Set<ProgramInfo>();
  private fresh = new Set<ProgramInfo>();

  // stale says that the data changed.
  stale() {
    this.fresh.clear();
  }

  bind(parts: Parts, info: ProgramInfo, bind: (attribute: never, info: ProgramInfo, offset: number, each: boolean) => number) {
    const { gl } = info;
    const instanced = parts.CONSTANT_ATTRIBUTES.length > 0;
    let offset = 0;
    if (instanced) {
      gl.bindBuffer(gl.ARRAY_BUFFER, info.constantBuffer);
      for (const a of parts.CONSTANT_ATTRIBUTES) offset += bind(a as never, info, offset, false);
      if (!this.has.has(info)) {
        gl.bufferData(gl.ARRAY_BUFFER, parts.constantArray, gl.STATIC_DRAW);
        this.has.add(info);
      }
      offset = 0;
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, info.buffer);
    for (const a of parts.ATTRIBUTES) offset += bind(a as never, info, offset, instanced);
    if (!this.fresh.has(info)) {
      gl.bufferData(gl.ARRAY_BUFFER, parts.array, gl.DYNAMIC_DRAW);
      this.fresh.add(info);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, null);
  }
}
