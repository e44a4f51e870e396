// Which paths are on the map: overrides that include or exclude a path and
// all below it, the nearest one winning. The root is the empty path. It is the
// rule of /api/branch, applied here because the page holds the whole map.

export type Choice = "include" | "exclude";
export type Overrides = ReadonlyMap<string, Choice>;

export const everything: Overrides = new Map();

// admits says whether a path is on the map.
export function admits(overrides: Overrides, path: string): boolean {
  if (overrides.size === 0) return true;
  for (let at = path; ; ) {
    const choice = overrides.get(at);
    if (choice) return choice === "include";
    if (at === "") return true;
    at = parent(at);
  }
}

// parent is the folder a path lies in, empty at the top. A virtual node's
// scheme is its folder.
export function parent(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

// turn sets one path and forgets overrides that no longer make a difference:
// those below it, and its own when what lies above says the same.
export function turn(overrides: Overrides, path: string, choice: Choice): Overrides {
  const next = new Map<string, Choice>();
  for (const [at, c] of overrides) {
    if (at !== path && !(path === "" || at.startsWith(path + "/"))) next.set(at, c);
  }
  const above = path === "" ? true : admits(next, parent(path));
  if (above !== (choice === "include")) next.set(path, choice);
  return next;
}

// only shows these paths and nothing else.
export function only(paths: Iterable<string>): Overrides {
  const next = new Map<string, Choice>([["", "exclude"]]);
  for (const path of paths) next.set(path, "include");
  return next;
}

// without hides these paths.
export function without(overrides: Overrides, paths: Iterable<string>): Overrides {
  let next = overrides;
  for (const path of paths) next = turn(next, path, "exclude");
  return next;
}
