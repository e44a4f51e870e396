// Small pictures, drawn on a grid of 24 with a stroke. One table, two ways to
// use it: as an element, and as a component (see ui.tsx).

export const paths: Record<string, string> = {
  agent: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 8c.6-3.6 3.4-5.5 7-5.5s6.4 1.9 7 5.5",
  skill: "M13 3 6 13h5l-1 8 8-11h-5.5L13 3Z",
  command: "M5 7l5 5-5 5M12.5 17H19",
  workflow: "M9 4h6v5H9zM3.5 15h6v5h-6zM14.5 15h6v5h-6zM12 9v3M6.5 15v-3h11v3",
  markdown: "M7 3h7l4 4v14H7zM14 3v4h4M10 12h5M10 16h5",
  mcp: "M5 4h14v6H5zM5 14h14v6H5zM8 7h.01M8 17h.01",
  node: "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10Z",
  broken: "M9.5 14.5 8 16a3.5 3.5 0 0 1-5-5l2.5-2.5M14.5 9.5 16 8a3.5 3.5 0 0 1 5 5l-2.5 2.5M8 3v3M3 8h3M16 21v-3M21 16h-3",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM20 20l-4.8-4.8",
  close: "M6 6l12 12M18 6 6 18",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  lasso: "M12 4c4.7 0 8.5 2.5 8.5 5.5S16.7 15 12 15s-8.5-2.5-8.5-5.5S7.3 4 12 4ZM7.5 14.5c-1.5 1-2 2.5-1 3.5s2.5.5 3.5-.5M8 18.5c0 1 .5 2 1.5 2.5",
  path: "M5.5 19.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM18.5 8.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7.5 17.5H15a3 3 0 0 0 0-6H9a3 3 0 0 1 0-5h7.5",
  focus: "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM12 3v3M12 18v3M3 12h3M18 12h3",
  pin: "M9 4h6l-1 6 3 3H7l3-3-1-6ZM12 13v7",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z",
  "eye-off": "M4 4l16 16M9.5 6c.8-.3 1.6-.5 2.5-.5 6 0 9.5 6.5 9.5 6.5a17 17 0 0 1-3 3.7M6.5 7.7C4 9.5 2.5 12 2.5 12S6 18.5 12 18.5c1.5 0 2.9-.4 4-1M10 10a3 3 0 0 0 4 4",
  folder: "M3.5 6h6l2 2.5h9V19h-17z",
  chevron: "M9 5l7 7-7 7",
  more: "M5.5 11h1v2h-1zM11.5 11h1v2h-1zM17.5 11h1v2h-1z",
  refresh: "M20 5v5h-5M4 19v-5h5M5.5 9A7 7 0 0 1 18 7l2 3M18.5 15A7 7 0 0 1 6 17l-2-3",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4",
  moon: "M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5Z",
  system: "M3 5h18v11H3zM9 20h6M12 16v4",
  heart: "M3 12h4l2-5 4 10 2-5h6",
  queue: "M4 6h16M4 12h10M4 18h7M17 14v6l4-3-4-3Z",
  rocket: "M13 3 5 13.5h5.5L9.5 21 19 10h-6z",
  download: "M12 4v11M7.5 11 12 15.5 16.5 11M4.5 19.5h15",
  link: "M9.5 14.5l5-5M8 12l-2.5 2.5a3.5 3.5 0 0 0 5 5L13 17M16 12l2.5-2.5a3.5 3.5 0 0 0-5-5L11 7",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  check: "M5 12.5l4.5 4.5L19 7.5",
  alert: "M12 4 2.5 20h19L12 4ZM12 10v4.5M12 17.5h.01",
  error: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7.5v5.5M12 16.5h.01",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 11v5.5M12 7.5h.01",
  edit: "M4 20l1-4.5L16.5 4 20 7.5 8.5 19 4 20ZM14 6.5 17.5 10",
  filter: "M3.5 5h17L14 13v6l-4 1.5V13L3.5 5Z",
  bookmark: "M6.5 3.5h11v17L12 16l-5.5 4.5z",
  trash: "M4.5 7h15M9.5 7V4h5v3M6.5 7l1 13h9l1-13",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M7 14h10",
  spark: "M12 3l2 6.5 6.5 2.5-6.5 2.5L12 21l-2-6.5L3.5 12 10 9.5 12 3Z",
  panel: "M3.5 4.5h17v15h-17zM15 4.5v15",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  map: "M3.5 6.5 9 4l6 2.5L20.5 4v13.5L15 20l-6-2.5L3.5 20V6.5ZM9 4v13.5M15 6.5V20",
  external: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  stop: "M7 7h10v10H7z",
  undo: "M9 6 4.5 10.5 9 15M5 10.5h9a5.5 5.5 0 0 1 0 9h-3",
  star: "M12 3.5l2.6 5.5 6 .8-4.4 4.2 1.1 6L12 17l-5.3 3 1.1-6L3.4 9.8l6-.8L12 3.5Z",
};

export function icon(name: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", paths[name] ?? paths.node);
  svg.append(path);
  return svg;
}
