// Links as the graphics card draws them: a strand from rim to rim, whole,
// dashed or dotted by kind, with a head when near, bent so that two between the
// same nodes are seen apart. On a large map only the loud ones are strands, the
// others hairs (see hairs.ts).

import { EdgeProgram, type EdgeProgramType, type ProgramInfo } from "sigma/rendering";
import type { EdgeDisplayData, NodeDisplayData, RenderParams } from "sigma/types";
import { floatColor } from "sigma/utils";
import { Few } from "./few";
import { motion, nearness } from "./glyphs";
import { Upload } from "./upload";

// Strand is what the reducer adds to what sigma knows of an edge.
export interface Strand {
  dash: number; // 0 whole, 1 dashed, 2 dotted
  bend: number; // share of its length
  loud: boolean; // stands out
}

const vertex = /* glsl */ `
attribute vec2 a_source;
attribute vec2 a_target;
attribute float a_width;
attribute vec2 a_radii;
attribute float a_dash;
attribute float a_bend;
attribute vec4 a_color;
attribute vec4 a_id;
attribute vec3 a_along; // share of the way, side, part: 0 strand, 1 head's base, 2 tip
uniform mat3 u_matrix;
uniform float u_sizeRatio;
uniform vec2 u_half;
uniform vec2 u_card;
uniform float u_head;
varying vec4 v_color;
varying float v_off;
varying float v_thick;
varying float v_far;
varying float v_dash;

// rim is how far from a node's middle its edge lies in a direction.
float rim(float radius, vec2 way) {
  if (u_card.x <= 0.0) return radius;
  vec2 w = max(abs(way), vec2(0.0001));
  return min(u_card.x / w.x, u_card.y / w.y);
}
void main() {
  if (a_width <= 0.0) { gl_Position = vec4(2.0, 2.0, 0.0, 1.0); return; }
  vec2 s = (u_matrix * vec3(a_source, 1.0)).xy * u_half;
  vec2 t = (u_matrix * vec3(a_target, 1.0)).xy * u_half;
  vec2 whole = t - s;
  float len = length(whole);
  if (len < 1.0) { gl_Position = vec4(2.0, 2.0, 0.0, 1.0); return; }
  vec2 way = whole / len;
  vec2 c = (s + t) * 0.5 + vec2(-way.y, way.x) * a_bend * len;
  vec2 leave = normalize(c - s);
  vec2 arrive = normalize(t - c);
  float rs = rim(max(a_radii.x / u_sizeRatio, 1.5), leave) + 1.0;
  float rt = rim(max(a_radii.y / u_sizeRatio, 1.5), arrive) + 1.5;
  float room = len - rs - rt;
  float head = room > u_head * 1.6 ? u_head : 0.0;
  float from = min(rs / len, 0.48);
  float to = max(1.0 - (rt + head) / len, 0.5);
  float tip = max(1.0 - rt / len, 0.5);
  float at = a_along.z > 1.5 ? tip : mix(from, to, a_along.x);
  vec2 p = mix(mix(s, c, at), mix(c, t, at), at);
  vec2 tangent = normalize(mix(c - s, t - c, at));
  float half_ = a_width * 0.5;
  if (a_along.z > 0.5) half_ = head > 0.0 ? head * 0.46 : half_;
  if (a_along.z > 1.5) half_ = 0.0;
  float off = a_along.y * (half_ + 0.6);
  p += vec2(-tangent.y, tangent.x) * off;
  gl_Position = vec4(p / u_half, 0.0, 1.0);
  v_off = off;
  v_thick = half_;
  v_far = at * len;
  v_dash = a_along.z > 0.5 ? 0.0 : a_dash;
  #ifdef PICKING_MODE
  v_thick += 3.0;
  v_off *= 3.0;
  v_color = a_id;
  #else
  v_color = a_color;
  #endif
  v_color.a *= 255.0 / 254.0;
}`;

const fragment = /* glsl */ `
precision highp float;
varying vec4 v_color;
varying float v_off;
varying float v_thick;
varying float v_far;
varying float v_dash;
void main() {
  #ifdef PICKING_MODE
  gl_FragColor = v_color;
  #else
  float a = clamp(v_thick - abs(v_off) + 0.5, 0.0, 1.0) * v_color.a;
  if (v_dash > 0.5) {
    float period = v_dash > 1.5 ? 6.0 : 11.0;
    float drawn = v_dash > 1.5 ? 2.0 : 6.5;
    float m = mod(v_far, period);
    a *= clamp(min(m, drawn - m) + 0.5, 0.0, 1.0);
  }
  gl_FragColor = vec4(v_color.rgb * a, a);
  #endif
}`;

const { FLOAT, UNSIGNED_BYTE, TRIANGLE_STRIP } = WebGL2RenderingContext;
const uniforms = ["u_matrix", "u_sizeRatio", "u_half", "u_card", "u_head"] as const;

const pieces = 14;

// strands makes the program, for all links or for the loud ones.
export function strands(loudOnly: boolean): EdgeProgramType {
  const along: number[][] = [];
  for (let i = 0; i <= pieces; i++) along.push([i / pieces, -1, 0], [i / pieces, 1, 0]);
  along.push([1, -1, 1], [1, 1, 1], [1, -1, 2], [1, 1, 2]);

  return class extends EdgeProgram<(typeof uniforms)[number]> {
    getDefinition() {
      return {
        VERTICES: along.length,
        VERTEX_SHADER_SOURCE: vertex,
        FRAGMENT_SHADER_SOURCE: fragment,
        METHOD: TRIANGLE_STRIP,
        UNIFORMS: uniforms,
        ATTRIBUTES: [
          { name: "a_source", size: 2, type: FLOAT },
          { name: "a_target", size: 2, type: FLOAT },
          { name: "a_width", size: 1, type: FLOAT },
          { name: "a_radii", size: 2, type: FLOAT },
          { name: "a_dash", size: 1, type: FLOAT },
          { name: "a_bend", size: 1, type: FLOAT },
          { name: "a_color", size: 4, type: UNSIGNED_BYTE, normalized: true },
          { name: "a_id", size: 4, type: UNSIGNED_BYTE, normalized: true },
        ],
        CONSTANT_ATTRIBUTES: [{ name: "a_along", size: 3, type: FLOAT }],
        CONSTANT_DATA: along,
      };
    }

    processVisibleItem(index: number, at: number, source: NodeDisplayData, target: NodeDisplayData, data: EdgeDisplayData & Partial<Strand>) {
      const a = this.array;
      a[at++] = source.x;
      a[at++] = source.y;
      a[at++] = target.x;
      a[at++] = target.y;
      a[at++] = data.size;
      a[at++] = source.size;
      a[at++] = target.size;
      a[at++] = data.dash ?? 0;
      a[at++] = data.bend ?? 0;
      a[at++] = floatColor(data.color);
      a[at++] = index;
    }

    override setUniforms(params: RenderParams, { gl, uniformLocations: u }: ProgramInfo) {
      gl.uniformMatrix3fv(u.u_matrix, false, params.matrix);
      gl.uniform1f(u.u_sizeRatio, params.sizeRatio);
      gl.uniform2f(u.u_half, params.width / 2, params.height / 2);
      gl.uniform2f(u.u_card, nearness.halfWidth, nearness.halfHeight);
      gl.uniform1f(u.u_head, nearness.head);
    }

    override renderProgram(params: RenderParams, info: ProgramInfo) {
      if (info.isPicking && motion.moving) return;
      super.renderProgram(params, info);
    }

    private upload?: Upload;
    private few?: Few; // those that are loud, when only they count

    override process(index: number, offset: number, source: NodeDisplayData, target: NodeDisplayData, data: EdgeDisplayData & Partial<Strand>) {
      this.upload?.stale();
      if (!loudOnly) {
        super.process(index, offset, source, target, data);
        return;
      }
      this.few ??= new Few();
      if (!data.loud || data.hidden || source.hidden || target.hidden) {
        this.few.set(offset, null);
        return;
      }
      this.array = new Float32Array(this.STRIDE);
      super.process(index, 0, source, target, data);
      this.few.set(offset, this.array);
    }

    override reallocate(capacity: number) {
      this.upload?.stale();
      if (loudOnly) this.few?.clear();
      else super.reallocate(capacity);
    }

    override render(params: RenderParams) {
      const now = this.few?.take(this.STRIDE);
      if (now) {
        super.reallocate(now.count);
        this.array = now.data;
      }
      super.render(params);
    }

    override bindProgram(info: ProgramInfo) {
      this.upload ??= new Upload();
      this.upload.bind(this, info, this.bindAttribute.bind(this));
    }
  } as unknown as EdgeProgramType;
}
