// Tables as text, for a spreadsheet.

// field is one cell: quoted where needed, and never a formula.
export function field(v: string | number): string {
  let text = String(v);
  if (typeof v === "string" && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
  return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

export const row = (cells: (string | number)[]) => cells.map(field).join(",") + "\r\n";
