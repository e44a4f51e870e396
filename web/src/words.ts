// Numbers and times as people read them.

export function count(n: number): string {
  if (n < 1000) return String(n);
  if (n < 10_000) return (n / 1000).toFixed(1).replace(/\.0$/, "") + "k";
  if (n < 1_000_000) return Math.round(n / 1000) + "k";
  return (n / 1_000_000).toFixed(1).replace(/\.0$/, "") + "M";
}

const whole = new Intl.NumberFormat("en");
export const exact = (n: number) => whole.format(n);

export function plural(n: number, one: string, many = one + "s"): string {
  return `${exact(n)} ${n === 1 ? one : many}`;
}

export function ago(ms: number, now = Date.now()): string {
  const s = Math.max(0, Math.round((now - ms) / 1000));
  if (s < 5) return "just now";
  if (s < 60) return `${s} s ago`;
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ago`;
  const d = Math.floor(s / 86_400);
  return d === 1 ? "yesterday" : d < 60 ? `${d} days ago` : new Date(ms).toISOString().slice(0, 10);
}

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  if (n < 1024 * 1024) return `${(n / 1024).toFixed(n < 10_240 ? 1 : 0)} kB`;
  return `${(n / 1024 / 1024).toFixed(1)} MB`;
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? "0 %" : `${Math.round((part / whole) * 100)} %`;
}

// nice is what an extension is called: "core/ai-scope-analyzer" is "Scope".
export function nice(extension: string): string {
  const short = extension.slice(extension.indexOf("/") + 1).replace(/^ai-/, "").replace(/-(analyzer|action)$/, "").replaceAll("-", " ");
  return short.charAt(0).toUpperCase() + short.slice(1);
}
