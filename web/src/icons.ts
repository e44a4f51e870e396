// Small pictures, drawn on a grid of 24 with a stroke. One table, two ways to
// use it: as an element, and as a component (see ui.tsx).

export const paths: Record<string, string> = {
  agent: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 8c.6-3.6 3.4-5.5 7-5.5s6.400 1.900 7 5.500",
  skill: "M13 3 6 13h5l-1 8 8-11h-5.500L13 3Z",
  command: "M5 7l5 5-5 5M12.500 17H19",
  workflow: "M9 4h6v5H9zM3.500 15h6v5h-6zM14.500 15h6v5h-6zM12 9v3M6.500 15v-3h11v3",
  markdown: "M7 3h7l4 4v14H7zM14 3v4h4M10 12h5M10 16h5",
  mcp: "M5 4h14v6H5zM5 14h14v6H5zM8 7h.01M8 17h.01",
  node: "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10Z",
  broken: "M9.500 14.500 8 16a3.500 3.500 0 0 1-5-5l2.500-2.500M14.500 9.500 16 8a3.500 3.500 0 0 1 5 5l-2.500 2.500M8 3v3M3 8h3M16 21v-3M21 16h-3",
  search: "M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13ZM20 20l-4.800-4.800",
  close: "M6 6l12 12M18 6 6 18",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  lasso: "M12 4c4.700 0 8.500 2.500 8.500 5.500S16.700 15 12 15s-8.500-2.500-8.500-5.500S7.300 4 12 4ZM7.500 14.500c-1.500 1-2 2.500-1 3.500s2.500.500 3.500-.500M8 18.500c0 1 .5 2 1.500 2.500",
  path: "M5.500 19.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM18.500 8.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7.500 17.500H15a3 3 0 0 0 0-6H9a3 3 0 0 1 0-5h7.500",
  focus: "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM12 3v3M12 18v3M3 12h3M18 12h3",
  pin: "M9 4h6l-1 6 3 3H7l3-3-1-6ZM12 13v7",
  eye: "M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z",
  "eye-off": "M4 4l16 16M9.500 6c.8-.3 1.600-.5 2.500-.5 6 0 9.500 6.500 9.500 6.500a17 17 0 0 1-3 3.700M6.500 7.700C4 9.500 2.500 12 2.500 12S6 18.500 12 18.500c1.500 0 2.900-.4 4-1M10 10a3 3 0 0 0 4 4",
  folder: "M3.500 6h6l2 2.500h9V19h-17z",
  chevron: "M9 5l7 7-7 7",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  refresh: "M20 5v5h-5M4 19v-5h5M5.500 9A7 7 0 0 1 18 7l2 3M18.500 15A7 7 0 0 1 6 17l-2-3",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M18.700 5.300l-1.400 1.400M6.700 17.300l-1.400 1.400",
  moon: "M20 14.500A8 8 0 0 1 9.500 4 8 8 0 1 0 20 14.500Z",
  system: "M3 5h18v11H3zM9 20h6M12 16v4",
  heart: "M3 12h4l2-5 4 10 2-5h6",
  queue: "M4 6h16M4 12h10M4 18h7M17 14v6l4-3-4-3Z",
  rocket: "M12 3c3.500 1.500 5 5 5 8l-2 4H9l-2-4c0-3 1.500-6.500 5-8ZM9 15l-2 5 3-1.500M15 15l2 5-3-1.500M12 9.500h.01",
  download: "M12 4v11M7.500 11 12 15.500 16.500 11M4.500 19.500h15",
  link: "M9.500 14.500l5-5M8 12l-2.500 2.500a3.500 3.500 0 0 0 5 5L13 17M16 12l2.500-2.500a3.500 3.500 0 0 0-5-5L11 7",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  check: "M5 12.500l4.500 4.500L19 7.500",
  alert: "M12 4 2.500 20h19L12 4ZM12 10v4.500M12 17.500h.01",
  error: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7.500v5.500M12 16.500h.01",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 11v5.500M12 7.500h.01",
  edit: "M4 20l1-4.500L16.500 4 20 7.500 8.500 19 4 20ZM14 6.500 17.500 10",
  filter: "M3.500 5h17L14 13v6l-4 1.500V13L3.500 5Z",
  bookmark: "M6.500 3.500h11v17L12 16l-5.500 4.500z",
  trash: "M4.500 7h15M9.500 7V4h5v3M6.500 7l1 13h9l1-13",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M7 14h10",
  spark: "M12 3l2 6.500 6.500 2.500-6.500 2.500L12 21l-2-6.500L3.500 12 10 9.500 12 3Z",
  panel: "M3.500 4.500h17v15h-17zM15 4.500v15",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  map: "M3.500 6.500 9 4l6 2.500L20.500 4v13.500L15 20l-6-2.500L3.500 20V6.500ZM9 4v13.500M15 6.500V20",
  external: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  stop: "M7 7h10v10H7z",
  undo: "M9 6 4.500 10.500 9 15M5 10.500h9a5.500 5.500 0 0 1 0 9h-3",
  star: "M12 3.500l2.600 5.500 6 .8-4.400 4.200 1.100 6L12 17l-5.300 3 1.100-6L3.400 9.800l6-.8L12 3.500Z",
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
