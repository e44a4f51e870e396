// Colours of the style sheet as the graphics card and the canvas need them,
// and the colours of kinds as the server has them.

import { others } from "../kinds";
import type { Registries } from "../wire";

export interface Palette {
  dark: boolean;
  canvas: string;
  surface: string;
  ink: string;
  quiet: string;
  line: string;
  accent: string;
  error: string;
  warn: string;
  ghost: string;
  font: string;
  links: Record<string, string>;
  kinds: Record<string, string>;
}

// read takes the colours that hold now.
export function read(registries: Registries, dark: boolean): Palette {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const of = (name: string) => {
    probe.style.color = `var(--${name})`;
    return hex(getComputedStyle(probe).color);
  };
  const palette: Palette = {
    dark,
    canvas: of("canvas"),
    surface: of("surface"),
    ink: of("ink"),
    quiet: of("ink-3"),
    line: of("line-strong"),
    accent: of("accent"),
    error: of("error-fill"),
    warn: of("warn-fill"),
    ghost: of("error-fill"),
    font: getComputedStyle(document.body).fontFamily,
    links: {
      invokes: of("link-invokes"),
      references: of("link-references"),
      mentions: of("link-mentions"),
      points: of("link-points"),
      broken: of("error-fill"),
    },
    kinds: kindColours(registries, dark),
  };
  probe.remove();
  return palette;
}

export function kindColours(registries: Registries, dark: boolean): Record<string, string> {
  const kinds: Record<string, string> = {};
  for (const [kind, look] of Object.entries(others)) kinds[kind] = dark ? look.colorDark : look.color;
  for (const [kind, entry] of Object.entries(registries.kindRegistry)) {
    const look = entry.providers[entry.primaryProviderId] ?? Object.values(entry.providers)[0];
    const colour = (dark && look?.colorDark) || look?.color;
    if (colour && /^#[0-9a-f]{6}$/i.test(colour)) kinds[kind] = colour;
  }
  return kinds;
}

// mix lays one colour over another; both "#rrggbb".
export function mix(over: string, under: string, share: number): string {
  let out = "#";
  for (let i = 1; i < 7; i += 2) {
    const v = Math.round(parseInt(over.slice(i, i + 2), 16) * share + parseInt(under.slice(i, i + 2), 16) * (1 - share));
    out += v.toString(16).padStart(2, "0");
  }
  return out;
}

// faded is a colour with an alpha, as sigma reads it.
export function faded(colour: string, alpha: number): string {
  const at = (i: number) => parseInt(colour.slice(i, i + 2), 16);
  return `rgba(${at(1)},${at(3)},${at(5)},${alpha.toFixed(3)})`;
}

function hex(rgb: string): string {
  const m = /rgba?\(([\d.]+)[, ]+([\d.]+)[, ]+([\d.]+)/.exec(rgb);
  if (!m) return "#808080";
  return "#" + m.slice(1, 4).map((v) => Math.round(Number(v)).toString(16).padStart(2, "0")).join("");
}
