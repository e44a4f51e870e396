// Links of a large map: hairlines, which cost next to nothing. The few that
// stand out are strands (see strands.ts), and are left out here.

import { EdgeProgram, type ProgramInfo } from "sigma/rendering";
import type { EdgeDisplayData, NodeDisplayData, RenderParams } from "sigma/types";
import { floatColor } from "sigma/utils";
import { motion, nearness } from "./glyphs";
import type { Strand } from "./strands";
import { Upload } from "./upload";

const vertex = /* glsl */ `
attribute vec2 a_position;
attribute vec2 a_other;
attribute vec4 a_color;
uniform mat3 u_matrix;
uniform vec2 u_half;
uniform float u_fade;
uniform float u_reach;
varying vec4 v_color;
void main() {
  if (a_color.a <= 0.0) { gl_Position = vec4(2.0, 2.0, 0.0, 1.0); return; }
  vec2 here = (u_matrix * vec3(a_position, 1.0)).xy;
  vec2 there = (u_matrix * vec3(a_other, 1.0)).xy;
  gl_Position = vec4(here, 0.0, 1.0);
  // Of a crowd, what only passes by is fainter than what is near its ends.
  float len = length((there - here) * u_half);
  float a = a_color.a * u_fade * clamp(u_reach / max(len, 1.0), 0.1, 1.0);
  v_color = vec4(a_color.rgb * a, a);
}`;

const fragment = /* glsl */ `
precision mediump float;
varying vec4 v_color;
void main() { gl_FragColor = v_color; }`;

const { FLOAT, UNSIGNED_BYTE, LINES } = WebGL2RenderingContext;
const uniforms = ["u_matrix", "u_half", "u_fade", "u_reach"] as const;

export class Hairs extends EdgeProgram<(typeof uniforms)[number]> {
  private upload?: Upload;

  getDefinition() {
    return {
      VERTICES: 2,
      VERTEX_SHADER_SOURCE: vertex,
      FRAGMENT_SHADER_SOURCE: fragment,
      METHOD: LINES,
      UNIFORMS: uniforms,
      ATTRIBUTES: [
        { name: "a_position", size: 2, type: FLOAT },
        { name: "a_other", size: 2, type: FLOAT },
        { name: "a_color", size: 4, type: UNSIGNED_BYTE, normalized: true },
      ],
    };
  }

  processVisibleItem(_index: number, at: number, source: NodeDisplayData, target: NodeDisplayData, data: EdgeDisplayData & Partial<Strand>) {
    const a = this.array;
    const colour = data.loud ? 0 : floatColor(data.color);
    for (const [here, there] of [[source, target], [target, source]]) {
      a[at++] = here.x;
      a[at++] = here.y;
      a[at++] = there.x;
      a[at++] = there.y;
      a[at++] = colour;
    }
  }

  override setUniforms(params: RenderParams, { gl, uniformLocations: u }: ProgramInfo) {
    gl.uniformMatrix3fv(u.u_matrix, false, params.matrix);
    gl.uniform2f(u.u_half, params.width / 2, params.height / 2);
    gl.uniform1f(u.u_fade, nearness.fade);
    gl.uniform1f(u.u_reach, nearness.reach);
  }

  override process(index: number, offset: number, source: NodeDisplayData, target: NodeDisplayData, data: EdgeDisplayData) {
    super.process(index, offset, source, target, data);
    this.upload?.stale();
  }

  override reallocate(capacity: number) {
    super.reallocate(capacity);
    this.upload?.stale();
  }

  override bindProgram(info: ProgramInfo) {
    this.upload ??= new Upload();
    this.upload.bind(this, info, this.bindAttribute.bind(this));
  }

  // While the map moves, only so many are drawn as the machine can draw in a
  // frame; the chart keeps the count. The most telling come first.
  override drawWebGL(method: number, { gl, frameBuffer }: ProgramInfo) {
    gl.bindFramebuffer(gl.FRAMEBUFFER, frameBuffer);
    gl.drawArrays(method, 0, 2 * Math.floor(motion.moving ? Math.min(this.capacity, motion.edges) : this.capacity));
  }
}
