// What the server sends: the shapes of the contract, as far as the page reads
// them.

export type Severity = "error" | "warn" | "info";
export type LinkKind = "invokes" | "references" | "mentions" | "points";

export interface Parts {
  frontmatter: number;
  body: number;
  total: number;
}

export interface Sidecar {
  present: boolean;
  status: string | null;
  annotations: Record<string, unknown> | null;
  root: Record<string, unknown> | null;
}

export interface Node {
  path: string;
  kind: string;
  provider: string;
  bodyHash: string;
  frontmatterHash: string;
  bytes: Parts;
  tokens?: Parts;
  linksOutCount: number;
  linksInCount: number;
  externalRefsCount: number;
  externalRefs?: { url: string; line?: number }[];
  frontmatter: Record<string, unknown>;
  modifiedAtMs?: number;
  sidecar: Sidecar;
  virtual?: boolean;
  derivedFrom?: string[];
  body?: string | null;
  raw?: string | null;
  tags?: string[];
}

export interface Link {
  source: string;
  target: string;
  kind: LinkKind;
  confidence: number;
  sources: string[];
  resolvedTarget?: string;
  location?: { line: number } | null;
  raw?: string | null;
  trigger?: { originalTrigger: string } | null;
  occurrences?: { extractor: string; originalTrigger: string; location: { line: number } | null; context?: string }[];
}

export interface Issue {
  analyzerId: string;
  severity: Severity;
  nodeIds: string[];
  linkIndices?: number[];
  message: string;
  detail?: string | null;
  fix?: { summary: string; autofixable?: boolean } | null;
  data?: Record<string, unknown>;
}

export interface Stats {
  filesWalked: number;
  filesSkipped: number;
  filesOversized: number;
  nodesCount: number;
  linksCount: number;
  issuesCount: number;
  durationMs: number;
}

export interface ScanResult {
  scannedAt: number;
  roots: string[];
  tokenizer?: string;
  activeProvider?: string;
  scanCeiling: number;
  scanTruncated: boolean;
  maxRenderNodes: number;
  oversizedFiles: { path: string; bytes: number }[];
  nodes: Node[];
  links: Link[];
  issues: Issue[];
  stats: Stats;
}

export interface Look {
  label: string;
  color: string;
  colorDark?: string;
  icon?: { kind: "pi"; id: string } | { kind: "svg"; path: string };
}

export interface ProviderLook extends Look {
  isLens: boolean;
  hideChip?: boolean;
  invocationSigil?: string;
  mcpRegister?: {
    kind: "command" | "config";
    command?: { template: string };
    config?: { target: string; document: Record<string, unknown> };
  };
}

export interface Registries {
  kindRegistry: Record<string, { primaryProviderId: string; providers: Record<string, Look> }>;
  providerRegistry: Record<string, ProviderLook>;
}

export interface NodeBundle {
  item: Node;
  links: { incoming: Link[]; outgoing: Link[] };
  issues: Issue[];
}

export interface Finding {
  id: number;
  nodeId: string;
  extensionId: string;
  origin: "extension" | "kernel";
  type: string;
  severity: Severity;
  message: string;
  detail: string | null;
  confidence: number;
  model: string | null;
  resolution: "fixed" | "human-decision" | "dismissed" | null;
  resolutionActor: string | null;
  resolutionNote: string | null;
  generatedAt: number;
  stale: boolean;
}

export interface FindingList {
  items: Finding[];
  counts: { total: number; dismissedExcluded: number; fixedExcluded: number };
}

export interface Job {
  id: string;
  extensionId: string;
  extensionKind: string;
  nodeId: string;
  status: "queued" | "running" | "completed" | "failed" | "cancelled";
  failureReason: string | null;
  runner: string | null;
  priority: number;
  createdAt: number;
  claimedAt: number | null;
  finishedAt: number | null;
  submittedBy: string | null;
}

export interface Launcher {
  id: string;
  name?: string;
  description: string;
  state: "idle" | "queued" | "running";
  jobId: string | null;
  lastJudged: { at: number; model: string | null } | null;
  fixerIds?: string[];
  hasOpenFindings?: boolean;
  findingsMaxSeverity?: Severity | null;
}

export interface Launchers {
  finders: Launcher[];
  standalone: Launcher[];
  issueFixers: Launcher[];
  skills: Launcher[];
}

export interface Summary {
  summarizerActionId: string;
  generatedAt: number;
  stale: boolean;
  report: { whatItCovers?: string; topics?: string[]; keyFacts?: string[]; relatedNodes?: string[]; qualityNotes?: string };
}

export interface Health {
  ok: boolean;
  implVersion: string;
  specVersion: string;
  db: "present" | "missing";
  cwd: string;
  dbPath: string;
  mcp: boolean;
}

export interface McpStatus {
  enabled: boolean;
  connected: boolean;
  clients: number;
  url: string;
}

export interface Presence {
  attending: boolean;
  lastClaimAt: number | null;
}

export interface LensInfo {
  activeProvider: string | null;
  detected: string[];
  source: string;
  selectable: string[];
}

export interface ActivitySummary {
  since: number;
  nodes: Record<string, { count: number; lastStartAt: number; lastOwner?: string; toolUses?: number; tokens?: number }>;
  pairs: Record<string, { count: number; lastStartAt: number }>;
}

export interface SkillProbe {
  provider: string;
  supported: boolean;
  skillDir: string | null;
  installed: boolean;
  stale: boolean;
}

// MapView is one stored arrangement, as its file has it.
export interface MapView {
  schemaVersion: 1;
  kind: "map-view";
  name: string;
  description?: string;
  order?: number;
  overrides: [string, "include" | "exclude"][];
  pins: Record<string, { x: number; y: number }>;
  groups?: { id: string; label: string; members: string[] }[];
}

// WireEvent is one frame of /ws.
export interface WireEvent {
  type: string;
  timestamp: number;
  runId: string;
  jobId: string | null;
  data: Record<string, any>;
}
