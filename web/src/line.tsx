import { editors, openIn, opens } from "./editor";

// LineAt opens a file at a line.
export function LineAt({ path, line }: { path: string; line: number }) {
  if (path.includes("://")) return <span class="line-at">L{line}</span>;
  return (
    <button type="button" class="line-at" title={`${opens()}, line ${line}`} onClick={() => openIn(editors[0], path, line)}>
      L{line}
    </button>
  );
}
