// The REST client: one function for one route. A refusal is thrown as a
// Refusal, whose text may be shown; a route this server does not have is one
// too, with `absent` set, and callers then show what the feature would do.

import * as host from "./host";
import type {
  ActivitySummary, FindingList, Health, Issue, Job, Launchers, LensInfo, MapView, McpStatus, NodeBundle, Presence,
  Registries, SkillProbe, Summary,
} from "./wire";

export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown> | null,
    readonly absent: boolean,
  ) {
    super(message);
  }
}

// textOf is what may be shown of anything thrown.
export function textOf(err: unknown): string {
  if (err instanceof Refusal) return err.message;
  if (err instanceof TypeError) return host.isForge ? "The forge does not answer." : "The server does not answer. Is `sm serve` still running?";
  return err instanceof Error ? err.message : String(err);
}

export function isAbsent(err: unknown): boolean {
  return err instanceof Refusal && err.absent;
}

// key is a path as routes carry it: base64url of its UTF-8 bytes, no padding.
export function key(path: string): string {
  let bytes = "";
  for (const b of new TextEncoder().encode(path)) bytes += String.fromCharCode(b);
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  // A forge shows the map of a commit and nothing that is kept beside it.
  if (host.isForge) throw new Refusal(404, "not-here", "This is not a part of a forge's map.", null, true);
  return request<T>("/api" + path, method, body, signal);
}

async function request<T>(address: string, method: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const answer = await fetch(address, {
    method,
    signal,
    headers: body === undefined ? undefined : { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (answer.status === 204) return undefined as T;
  const text = await answer.text();
  let value: any = null;
  try {
    value = JSON.parse(text);
  } catch {
    // Not ours to read: a page where JSON belongs means the route is not there.
  }
  if (answer.ok && value !== null) return value as T;
  const fault = value?.error ?? {};
  const message = typeof fault.message === "string" ? fault.message : `The server answered ${answer.status}.`;
  const absent = answer.status === 405 || answer.status === 501 || (answer.status === 404 && /^Unknown API endpoint/.test(message)) || (answer.ok && value === null);
  throw new Refusal(answer.status, fault.code ?? "unknown", message, fault.details ?? null, absent);
}

const get = <T>(path: string, signal?: AbortSignal) => ask<T>("GET", path, undefined, signal);
const post = <T>(path: string, body: unknown = {}) => ask<T>("POST", path, body);

// Consent is how far a write beside the file is allowed: not yet, this once, or
// from now on.
export interface Consent {
  confirm?: boolean;
  always?: boolean;
}

export const health = () => get<Health>("/health");
export const registries = () => (host.isForge ? request<Registries>(host.kindsAddress, "GET") : get<Registries>("/issues?limit=1"));
export const lens = () => get<LensInfo>("/active-provider");
export const mcpStatus = () => get<McpStatus>("/mcp/status");
export const presence = () => get<Presence>("/agent/presence");
export const activity = () => get<ActivitySummary>("/activity/summary");
export const config = () => get<{ value: any }>("/config");
export const rescan = () => post<unknown>("/scan");

export const node = (path: string, signal?: AbortSignal) =>
  host.isForge ? request<NodeBundle>(host.nodeAddress(path), "GET", undefined, signal) : get<NodeBundle>(`/nodes/${key(path)}?include=body`, signal);

export const issues = (query = "") => get<{ items: Issue[]; counts: { total: number } }>("/issues" + query);
export const dismissIssue = (path: string, analyzer: string, value: string, consent: Consent) =>
  post<void>(`/nodes/${key(path)}/issues/dismiss`, { analyzer, value, ...consent });

export const findings = (path: string, query = "") => get<FindingList>(`/nodes/${key(path)}/findings${query}`);
const finding = (path: string, id: number, verb: string) => `/nodes/${key(path)}/findings/${id}/${verb}`;
export const resolveFinding = (path: string, id: number, note: string) =>
  post<void>(finding(path, id, "resolve"), note ? { note } : {});
export const dismissFinding = (path: string, id: number, whole: boolean, consent: Consent) =>
  post<void>(finding(path, id, "dismiss"), { ...(whole ? { class: true } : {}), ...consent });
export const reopenFinding = (path: string, id: number) => post<void>(finding(path, id, "reopen"));

export const summary = (path: string) => get<{ items: Summary[] }>(`/nodes/${key(path)}/summary`);
export const launchers = (path: string) => get<{ item: Launchers }>(`/nodes/${key(path)}/prob-extensions`);
export const submitJob = (path: string, extension: string, autoFix: boolean) =>
  post<{ value: { jobId: string } }>(`/nodes/${key(path)}/jobs`, { extension, ...(autoFix ? { autoFix } : {}) });
export const ping = () => post<{ value: { jobId: string } }>("/jobs", { extension: "core/ai-ping-action" });

export const jobs = (query = "") => get<{ items: Job[] }>("/jobs" + query);
export const cancelJob = (id: string) => post<void>(`/jobs/${encodeURIComponent(id)}/cancel`);
export const cancelJobs = () => post<void>("/jobs/cancel-all");
export const pruneJobs = () => post<void>("/jobs/prune");

export const skillProbe = (provider: string) => get<SkillProbe>(`/agent/install?provider=${encodeURIComponent(provider)}`);
export const installSkill = (provider: string) => post<SkillProbe>("/agent/install", { provider, confirm: true });
export const switchMcp = (on: boolean) => ask<unknown>("PATCH", "/project-preferences", { mcpServerEnabled: on });

export const mapViews = () => get<{ views: { slug: string; view: MapView }[]; skipped: { slug: string; reason: string }[] }>("/map-views");
export const saveView = (slug: string, view: MapView) => ask<unknown>("PUT", `/map-views/${slug}`, view);
export const deleteView = (slug: string) => ask<unknown>("DELETE", `/map-views/${slug}`);
