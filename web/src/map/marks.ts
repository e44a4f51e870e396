// What the two programs that draw nodes share.

import type Sigma from "sigma";
import { NodeProgram, type ProgramInfo } from "sigma/rendering";
import type { NodeDisplayData } from "sigma/types";
import { Upload } from "./upload";

// Marks sends its nodes to the card when they changed, and draws no picture
// for pointing: the chart knows where nodes lie.
export abstract class Marks<Uniform extends string> extends NodeProgram<Uniform> {
  private upload?: Upload;

  constructor(gl: WebGL2RenderingContext, _picking: WebGLFramebuffer | null, renderer: Sigma) {
    super(gl, null, renderer);
  }

  override process(index: number, offset: number, data: NodeDisplayData) {
    super.process(index, offset, data);
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
}
