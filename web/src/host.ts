// Who serves the page, as its metas say: `sm serve` for the project it runs in,
// or a forge for one commit of a repository, to be looked at and not changed.

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="skill-map-${name}"]`)?.content ?? "";

export const isForge = meta("mode") === "forge";
export const scope = meta("scope"); // the project's folder, or owner/name
export const version = meta("version");
export const commit = meta("commit"); // of a forge
export const home = meta("home"); // where the repository is looked at
export const theme = meta("theme"); // the colours chosen on the forge

// isFramed: the page is a part of another one of the forge.
export const isFramed = window.top !== window;

const data = meta("data");
export const mapAddress = isForge ? data : "/api/scan";
export const kindsAddress = meta("kinds");
export const nodeAddress = (path: string) => data + (data.includes("?") ? "&" : "?") + "node=" + encodeURIComponent(path);

// fileAddress is where the forge shows a file of the commit. A line is one of
// its source: Markdown is a page there otherwise.
export const fileAddress = (path: string, line: number) =>
  meta("files") + "/" + path.split("/").map(encodeURIComponent).join("/") + (line ? (/\.(md|markdown|mdown)$/i.test(path) ? "?source=1" : "") + "#L" + line : "");

// leave shows another page of the forge, out of the frame.
export function leave(to: string) {
  window.open(to, "_top");
}
