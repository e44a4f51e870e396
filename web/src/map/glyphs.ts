// Nodes as the graphics card draws them: a shape for each kind, a ring for
// trouble, a halo for what is going on. Everything is measured in pixels of the
// page, so that a node is never smaller than can be seen nor larger than its
// cell.

import { NodeProgram, type ProgramInfo } from "sigma/rendering";
import type { NodeDisplayData, RenderParams } from "sigma/types";
import { floatColor } from "sigma/utils";

export const shapes = { circle: 0, hexagon: 1, square: 2, diamond: 3, page: 4, plug: 5, ghost: 6 } as const;
export type Shape = keyof typeof shapes;

const byKind: Record<string, Shape> = {
  agent: "circle", skill: "hexagon", command: "square", workflow: "diamond", markdown: "page", mcp: "plug", ghost: "ghost",
};

export function shapeOf(kind: string): Shape {
  return byKind[kind] ?? "circle";
}

// Glyph is what the reducer adds to what sigma knows of a node.
export interface Glyph {
  shape: number;
  ring: string; // a colour, or "" for none
  halo: number; // 0 to 1
}

// nearness is set by the chart before each frame: half the size of a card when
// nodes are cards, the length of heads, how faint a crowd of strands is, and from what length on
// it is fainter still.
export const nearness = { halfWidth: 0, halfHeight: 0, head: 0, fade: 1, reach: 1e9 };

// motion is shared with the chart: while the map moves nobody points at
// anything, so the picture for pointing is not drawn.
export const motion = { moving: false, edges: Infinity };

const vertex = /* glsl */ `
attribute vec2 a_position;
attribute float a_size;
attribute vec4 a_color;
attribute vec4 a_ring;
attribute float a_shape;
attribute float a_halo;
attribute vec4 a_id;
attribute vec2 a_corner;
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
  float reach = radius + 3.0 + (a_halo > 0.0 ? radius * 1.4 + 6.0 : 0.0);
  vec2 offset = a_corner * reach;
  vec2 clip = (u_matrix * vec3(a_position, 1.0)).xy;
  gl_Position = vec4(clip + offset / u_half, 0.0, 1.0);
  v_at = offset;
  v_radius = radius;
  v_shape = a_shape;
  v_halo = a_halo;
  v_ring = a_ring;
  #ifdef PICKING_MODE
  v_color = a_id;
  #else
  v_color = a_color;
  #endif
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
  #ifdef PICKING_MODE
  if (d > 2.0) discard;
  gl_FragColor = v_color;
  #else
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
  #endif
}`;

const { FLOAT, UNSIGNED_BYTE, TRIANGLE_STRIP } = WebGL2RenderingContext;
const uniforms = ["u_matrix", "u_sizeRatio", "u_half", "u_least", "u_most"] as const;

export class Glyphs extends NodeProgram<(typeof uniforms)[number]> {
  getDefinition() {
    return {
      VERTICES: 4,
      VERTEX_SHADER_SOURCE: vertex,
      FRAGMENT_SHADER_SOURCE: fragment,
      METHOD: TRIANGLE_STRIP,
      UNIFORMS: uniforms,
      ATTRIBUTES: [
        { name: "a_position", size: 2, type: FLOAT },
        { name: "a_size", size: 1, type: FLOAT },
        { name: "a_shape", size: 1, type: FLOAT },
        { name: "a_halo", size: 1, type: FLOAT },
        { name: "a_color", size: 4, type: UNSIGNED_BYTE, normalized: true },
        { name: "a_ring", size: 4, type: UNSIGNED_BYTE, normalized: true },
        { name: "a_id", size: 4, type: UNSIGNED_BYTE, normalized: true },
      ],
      CONSTANT_ATTRIBUTES: [{ name: "a_corner", size: 2, type: FLOAT }],
      CONSTANT_DATA: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
    };
  }

  processVisibleItem(index: number, at: number, data: NodeDisplayData & Partial<Glyph>) {
    const a = this.array;
    a[at++] = data.x;
    a[at++] = data.y;
    a[at++] = data.size;
    a[at++] = data.shape ?? 0;
    a[at++] = data.halo ?? 0;
    a[at++] = floatColor(data.color);
    a[at++] = data.ring ? floatColor(data.ring) : 0;
    a[at++] = index;
  }

  override setUniforms(params: RenderParams, { gl, uniformLocations: u }: ProgramInfo) {
    gl.uniformMatrix3fv(u.u_matrix, false, params.matrix);
    gl.uniform1f(u.u_sizeRatio, params.sizeRatio);
    gl.uniform2f(u.u_half, params.width / 2, params.height / 2);
    gl.uniform1f(u.u_least, 1.5);
    gl.uniform1f(u.u_most, nearness.halfHeight > 0 ? nearness.halfHeight * 0.7 : 1000); // a card hides its node
  }

  override renderProgram(params: RenderParams, info: ProgramInfo) {
    if (info.isPicking && motion.moving) return;
    super.renderProgram(params, info);
  }
}
