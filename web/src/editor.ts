// Opening a file where it is edited: the schemes that editors register.

import * as host from "./host";
import { health } from "./state";
import { keep, recall } from "./shelf";

export interface Editor {
  name: string;
  address: (file: string, line: number) => string;
}

const all: Record<string, Editor> = {
  vscode: { name: "VS Code", address: (file, line) => `vscode://file${encode(file)}${line ? ":" + line : ""}` },
  cursor: { name: "Cursor", address: (file, line) => `cursor://file${encode(file)}${line ? ":" + line : ""}` },
  zed: { name: "Zed", address: (file, line) => `zed://file${encode(file)}${line ? ":" + line : ""}` },
  idea: { name: "JetBrains", address: (file, line) => `idea://open?file=${encodeURIComponent(file)}${line ? "&line=" + line : ""}` },
};

// shows is what takes the editor's place on a forge: its own page of the file.
const shows: Editor = { name: "See the file", address: host.fileAddress };

export const choices = Object.entries(all).map(([id, e]) => ({ id, name: e.name }));
export const chosen = () => recall("editor", "vscode");
export const setEditor = (id: string) => {
  keep("editor", id);
  editors[0] = all[id] ?? all.vscode;
};
export const editors: Editor[] = [host.isForge ? shows : (all[recall("editor", "vscode")] ?? all.vscode)];
// opens says what pressing it does.
export const opens = () => (host.isForge ? "See the file" : `Open in ${editors[0].name}`);

// fileOf is where a node's file is on this machine.
export function fileOf(path: string): string {
  const root = (health.value?.cwd ?? "").replaceAll("\\", "/").replace(/\/$/, "");
  return (root.startsWith("/") ? root : "/" + root) + "/" + path;
}

export function openIn(editor: Editor, path: string, line: number) {
  if (host.isForge) host.leave(editor.address(path, line));
  else location.assign(editor.address(fileOf(path), line));
}

function encode(file: string): string {
  return file.split("/").map(encodeURIComponent).join("/");
}
