// Nodes as the graphics card draws them: a shape for each kind, a ring for
// trouble, a halo for what is going on. Everything is measured in pixels of the
// page, so that a node is never smaller than can be seen nor larger than its
// cell.

import type { ProgramInfo } from "sigma/rendering";
import type { NodeDisplayData, RenderParams } from "sigma/types";
import { floatColor } from "sigma/utils";
import { others } from "../kinds";
import { Few } from "./few";
import { Marks } from "./marks";

export const shapes = { circle: 0, hexagon: 1, square: 2, diamond: 3, page: 4, plug: 5, ghost: 6 } as const;
export type Shape = keyof typeof shapes;

const byKind: Record<string, Shape> = {
  agent: "circle", skill: "hexagon", command: "square", workflow: "diamond", markdown: "page", mcp: "plug", ghost: "ghost",
};

export function shapeOf(kind: string): Shape {
  return byKind[kind] ?? others[kind]?.shape ?? "circle";
}

// Glyph is what the reducer adds to what sigma knows of a node.
export interface Glyph {
  shape: number;
  ring: string; // a colour, or "" for none
  halo: number; // 0 to 1
}

// nearness is set by the chart before each frame: half the size of a card when
// nodes are cards, the length of heads, how faint a crowd of strands is, from what length on it is
// fainter still, and whether nodes are but points.
export const nearness = { halfWidth: 0, halfHeight: 0, head: 0, fade: 1, reach: 1e9, far: false };

// motion is shared with the chart: while the map moves nobody points at
// anything, and no more is drawn than fits into a frame.
export const motion = { moving: false, edges: Infinity };

const vertex = /* glsl */ `
attribute vec2 a_position;
attribute float a_size;
attribute vec4 a_color;
attribute vec4 a_ring;
attribute float a_shape;
attribute float a_halo;
attribute float a_corner;
uniform mat3 u_matrix;
uniform float u_sizeRatio;
uniform vec2 u_half;
uniform float u_least;
uniform float u_most;
varying vec4 v_color;
varying vec4 v_ring;
varying vec2 v_at;
varying float v_radius;
varying float v_shape;
varying float v_halo;
void main() {
  if (a_size <= 0.0) { gl_Position = vec4(2.0, 2.0, 0.0, 1.0); return; }
  float radius = clamp(a_size / u_sizeRatio, u_least, u_most);
  float reach = radius + (a_ring.a > 0.0 ? 6.0 : 1.0) + (a_halo > 0.0 ? radius * 1.4 + 6.0 : 0.0);
  vec2 offset = vec2(cos(a_corner), sin(a_corner)) * reach * 2.0;
  vec2 clip = (u_matrix * vec3(a_position, 1.0)).xy;
  gl_Position = vec4(clip + offset / u_half, 0.0, 1.0);
  v_at = offset;
  v_radius = radius;
  v_shape = a_shape;
  v_halo = a_halo;
  v_ring = a_ring;
  v_color = a_color;
  v_color.a *= 255.0 / 254.0;
  v_ring.a *= 255.0 / 254.0;
}`;

const fragment = /* glsl */ `
precision highp float;
varying vec4 v_color;
varying vec4 v_ring;
varying vec2 v_at;
varying float v_radius;
varying float v_shape;
varying float v_halo;

float box(vec2 p, vec2 half_, float corner) {
  vec2 q = abs(p) - half_ + corner;
  return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - corner;
}
float hexagon(vec2 p, float r) {
  vec2 q = abs(p.yx);
  return max(q.x * 0.866025 + q.y * 0.5, q.y) - r;
}
float octagon(vec2 p, float r) {
  vec2 q = abs(p);
  return max(max(q.x, q.y), (q.x + q.y) * 0.707107) - r;
}
float shape(vec2 p, float r) {
  if (r < 2.2 || v_shape < 0.5) return length(p) - r;
  if (v_shape < 1.5) return hexagon(p, r * 0.93);
  if (v_shape < 2.5) return box(p, vec2(r * 0.84), r * 0.28);
  if (v_shape < 3.5) return (abs(p.x) + abs(p.y) - r * 1.12) * 0.7071;
  if (v_shape < 4.5) return box(p, vec2(r * 0.66, r * 0.84), r * 0.18);
  if (v_shape < 5.5) return octagon(p, r * 0.9);
  return length(p) - r * 0.8;
}
void main() {
  float d = shape(v_at, v_radius);
  vec4 c = v_color;
  float a = clamp(0.5 - d, 0.0, 1.0);
  if (v_shape > 5.5) {
    // what is not there: an open circle with a stroke through it
    float w = max(1.2, v_radius * 0.16);
    float ring = clamp(0.5 - abs(d + w * 0.5) + w * 0.5, 0.0, 1.0);
    float bar = clamp(0.5 - abs(v_at.x + v_at.y) * 0.7071 + w * 0.5, 0.0, 1.0) * a;
    a = max(ring, v_radius > 4.0 ? bar : 0.0);
  } else if (v_ring.a > 0.0) {
    float w = clamp(v_radius * 0.2, 1.4, 4.0);
    float gap = v_radius > 7.0 ? 1.5 : 0.0;
    float ring = clamp(0.5 - abs(d - gap - w * 0.5) + w * 0.5, 0.0, 1.0) * v_ring.a;
    c.rgb = mix(c.rgb, v_ring.rgb, ring);
    a = max(a * c.a, ring) / max(c.a, 0.001);
  }
  float alpha = clamp(a * c.a, 0.0, 1.0);
  vec4 seen = vec4(c.rgb * alpha, alpha);
  if (v_halo > 0.0) {
    float reach = v_radius * 1.4 + 6.0;
    float h = v_halo * 0.55 * pow(clamp(1.0 - max(d, 0.0) / reach, 0.0, 1.0), 2.0);
    vec3 rgb = v_ring.a > 0.0 ? v_ring.rgb : v_color.rgb;
    seen += vec4(rgb * h, h) * (1.0 - seen.a);
  }
  gl_FragColor = seen;
}`;

const { FLOAT, UNSIGNED_BYTE, TRIANGLES } = WebGL2RenderingContext;
const uniforms = ["u_matrix", "u_sizeRatio", "u_half", "u_least", "u_most"] as const;

// The three corners, as angles, of a triangle that holds the circle. Each node
// has all three of its own rather than being an instance of one: drawn in
// software an instance costs more than its corners.
const corners = [0, (2 * Math.PI) / 3, (4 * Math.PI) / 3];

export class Glyphs extends Marks<(typeof uniforms)[number]> {
  getDefinition() {
    return {
      VERTICES: 3,
      VERTEX_SHADER_SOURCE: vertex,
      FRAGMENT_SHADER_SOURCE: fragment,
      METHOD: TRIANGLES,
      UNIFORMS: uniforms,
      ATTRIBUTES: [
        { name: "a_position", size: 2, type: FLOAT },
        { name: "a_size", size: 1, type: FLOAT },
        { name: "a_shape", size: 1, type: FLOAT },
        { name: "a_halo", size: 1, type: FLOAT },
        { name: "a_color", size: 4, type: UNSIGNED_BYTE, normalized: true },
        { name: "a_ring", size: 4, type: UNSIGNED_BYTE, normalized: true },
        { name: "a_corner", size: 1, type: FLOAT },
      ],
    };
  }

  processVisibleItem(_index: number, at: number, data: NodeDisplayData & Partial<Glyph>) {
    const a = this.array;
    const colour = floatColor(data.color);
    const ring = data.ring ? floatColor(data.ring) : 0;
    for (const corner of corners) {
      a[at++] = data.x;
      a[at++] = data.y;
      a[at++] = data.size;
      a[at++] = data.shape ?? 0;
      a[at++] = data.halo ?? 0;
      a[at++] = colour;
      a[at++] = ring;
      a[at++] = corner;
    }
  }

  override setUniforms(params: RenderParams, { gl, uniformLocations: u }: ProgramInfo) {
    gl.uniformMatrix3fv(u.u_matrix, false, params.matrix);
    gl.uniform1f(u.u_sizeRatio, params.sizeRatio);
    gl.uniform2f(u.u_half, params.width / 2, params.height / 2);
    gl.uniform1f(u.u_least, 1.5);
    gl.uniform1f(u.u_most, nearness.halfHeight > 0 ? nearness.halfHeight * 0.7 : 1000); // a card hides its node
  }

  override render(params: RenderParams) {
    if (!nearness.far) super.render(params);
  }
}

// LoudGlyphs draws those that stand out when the others are points.
export class LoudGlyphs extends Glyphs {
  private few?: Few;

  override process(index: number, offset: number, data: NodeDisplayData & Partial<Glyph>) {
    this.few ??= new Few();
    if (data.hidden || (!data.ring && !data.halo)) {
      this.few.set(offset, null);
      return;
    }
    this.array = new Float32Array(this.STRIDE);
    super.process(index, 0, data);
    this.few.set(offset, this.array);
  }

  override reallocate(_capacity: number) {
    this.few?.clear();
  }

  override render(params: RenderParams) {
    if (!nearness.far) return;
    const now = this.few?.take(this.STRIDE);
    if (now) {
      super.reallocate(now.count);
      this.array = now.data;
    }
    nearness.far = false;
    super.render(params);
    nearness.far = true;
  }
}
