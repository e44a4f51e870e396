// Nodes seen from far: one point each. What stands out is drawn over it as
// glyphs.

import type { ProgramInfo } from "sigma/rendering";
import type { NodeDisplayData, RenderParams } from "sigma/types";
import { floatColor } from "sigma/utils";
import { nearness, type Glyph } from "./glyphs";
import { Marks } from "./marks";

const vertex = /* glsl */ `
attribute vec2 a_position;
attribute float a_size;
attribute vec4 a_color;
uniform mat3 u_matrix;
uniform float u_sizeRatio;
uniform float u_pixels;
varying vec4 v_color;
varying float v_size;
void main() {
  if (a_size <= 0.0) { gl_Position = vec4(2.0, 2.0, 0.0, 1.0); gl_PointSize = 0.0; return; }
  gl_Position = vec4((u_matrix * vec3(a_position, 1.0)).xy, 0.0, 1.0);
  v_size = max(a_size / u_sizeRatio, 1.5) * 2.0 * u_pixels;
  gl_PointSize = v_size + 1.0;
  float a = a_color.a * 255.0 / 254.0;
  v_color = vec4(a_color.rgb * a, a);
}`;

const fragment = /* glsl */ `
precision mediump float;
varying vec4 v_color;
varying float v_size;
void main() {
  float d = length(gl_PointCoord - 0.5) * (v_size + 1.0);
  gl_FragColor = v_color * clamp(v_size * 0.5 - d + 0.5, 0.0, 1.0);
}`;

const { FLOAT, UNSIGNED_BYTE, POINTS } = WebGL2RenderingContext;
const uniforms = ["u_matrix", "u_sizeRatio", "u_pixels"] as const;

export class Dots extends Marks<(typeof uniforms)[number]> {
  getDefinition() {
    return {
      VERTICES: 1,
      VERTEX_SHADER_SOURCE: vertex,
      FRAGMENT_SHADER_SOURCE: fragment,
      METHOD: POINTS,
      UNIFORMS: uniforms,
      ATTRIBUTES: [
        { name: "a_position", size: 2, type: FLOAT },
        { name: "a_size", size: 1, type: FLOAT },
        { name: "a_color", size: 4, type: UNSIGNED_BYTE, normalized: true },
      ],
    };
  }

  processVisibleItem(_index: number, at: number, data: NodeDisplayData & Partial<Glyph>) {
    const a = this.array;
    a[at++] = data.x;
    a[at++] = data.y;
    a[at++] = data.size;
    a[at++] = floatColor(data.color);
  }

  override setUniforms(params: RenderParams, { gl, uniformLocations: u }: ProgramInfo) {
    gl.uniformMatrix3fv(u.u_matrix, false, params.matrix);
    gl.uniform1f(u.u_sizeRatio, params.sizeRatio);
    gl.uniform1f(u.u_pixels, params.pixelRatio);
  }

  override render(params: RenderParams) {
    if (nearness.far) super.render(params);
  }
}
