-- Zones by prefix: scan_ is derived and made anew by any scan, state_ belongs
-- to the user, config_ to the program. Node ids are paths: logical references,
-- no foreign keys, so that what people wrote outlives a file that is away.

CREATE TABLE scan_nodes (
  path               TEXT PRIMARY KEY NOT NULL,
  kind               TEXT NOT NULL,
  provider           TEXT NOT NULL,
  title              TEXT,
  description        TEXT,
  stability          TEXT CHECK (stability IS NULL OR stability IN ('experimental', 'stable', 'deprecated')),
  version            INTEGER,
  frontmatter_json   TEXT NOT NULL,
  body_hash          TEXT NOT NULL,
  frontmatter_hash   TEXT NOT NULL,
  bytes_frontmatter  INTEGER NOT NULL,
  bytes_body         INTEGER NOT NULL,
  bytes_total        INTEGER NOT NULL,
  tokens_frontmatter INTEGER,
  tokens_body        INTEGER,
  tokens_total       INTEGER,
  links_out_count    INTEGER NOT NULL DEFAULT 0,
  links_in_count     INTEGER NOT NULL DEFAULT 0,
  external_refs_count INTEGER NOT NULL DEFAULT 0,
  external_refs_json TEXT,
  scanned_at         INTEGER NOT NULL,
  modified_at_ms     INTEGER,
  virtual            INTEGER NOT NULL DEFAULT 0,
  derived_from_json  TEXT,
  sidecar_present    INTEGER NOT NULL DEFAULT 0,
  sidecar_status     TEXT,
  annotations_json   TEXT,
  sidecar_root_json  TEXT
);
CREATE INDEX ix_scan_nodes_kind ON scan_nodes (kind);
CREATE INDEX ix_scan_nodes_provider ON scan_nodes (provider);
CREATE INDEX ix_scan_nodes_body_hash ON scan_nodes (body_hash);
CREATE INDEX ix_scan_nodes_sidecar_status ON scan_nodes (sidecar_status);

CREATE TABLE scan_links (
  id                 INTEGER PRIMARY KEY AUTOINCREMENT,
  source_path        TEXT NOT NULL,
  target_path        TEXT NOT NULL,
  kind               TEXT NOT NULL CHECK (kind IN ('invokes', 'references', 'mentions', 'points')),
  confidence         REAL NOT NULL CHECK (confidence >= 0 AND confidence <= 1),
  sources_json       TEXT NOT NULL,
  original_trigger   TEXT,
  normalized_trigger TEXT,
  location_line      INTEGER,
  location_column    INTEGER,
  location_offset    INTEGER,
  occurrences_json   TEXT,
  resolved_target    TEXT,
  raw                TEXT
);
CREATE INDEX ix_scan_links_source_path ON scan_links (source_path);
CREATE INDEX ix_scan_links_target_path ON scan_links (target_path);
CREATE INDEX ix_scan_links_normalized_trigger ON scan_links (normalized_trigger);
CREATE INDEX ix_scan_links_resolved_target ON scan_links (resolved_target);

CREATE TABLE scan_issues (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  analyzer_id       TEXT NOT NULL,
  severity          TEXT NOT NULL CHECK (severity IN ('error', 'warn', 'info')),
  node_ids_json     TEXT NOT NULL,
  link_indices_json TEXT,
  message           TEXT NOT NULL,
  detail            TEXT,
  fix_json          TEXT,
  data_json         TEXT
);
CREATE INDEX ix_scan_issues_analyzer_id ON scan_issues (analyzer_id);
CREATE INDEX ix_scan_issues_severity ON scan_issues (severity);

CREATE TABLE scan_meta (
  id                      INTEGER PRIMARY KEY CHECK (id = 1),
  roots_json              TEXT NOT NULL,
  scanned_at              INTEGER NOT NULL,
  scanned_by_name         TEXT NOT NULL,
  scanned_by_version      TEXT NOT NULL,
  scanned_by_spec_version TEXT NOT NULL,
  providers_json          TEXT NOT NULL,
  stats_files_walked      INTEGER NOT NULL,
  stats_files_skipped     INTEGER NOT NULL,
  stats_duration_ms       INTEGER NOT NULL,
  scan_ceiling            INTEGER NOT NULL,
  scan_truncated          INTEGER NOT NULL DEFAULT 0,
  max_render_nodes        INTEGER NOT NULL,
  files_oversized         INTEGER NOT NULL DEFAULT 0,
  oversized_files_json    TEXT,
  tokenizer               TEXT,
  active_provider         TEXT,
  schema_fingerprint      TEXT,
  result_fingerprint      TEXT
);

CREATE TABLE scan_extractor_runs (
  node_path                       TEXT NOT NULL,
  extractor_id                    TEXT NOT NULL,
  body_hash_at_run                TEXT NOT NULL,
  sidecar_annotations_hash_at_run TEXT NOT NULL,
  settings_hash_at_run            TEXT NOT NULL DEFAULT '',
  ran_at                          INTEGER NOT NULL,
  PRIMARY KEY (node_path, extractor_id)
);
CREATE INDEX ix_scan_extractor_runs_node_path ON scan_extractor_runs (node_path);
CREATE INDEX ix_scan_extractor_runs_extractor_id ON scan_extractor_runs (extractor_id);

CREATE TABLE scan_node_tags (
  node_path TEXT NOT NULL,
  tag       TEXT NOT NULL,
  PRIMARY KEY (node_path, tag)
);
CREATE INDEX ix_scan_node_tags_node_path ON scan_node_tags (node_path);
CREATE INDEX ix_scan_node_tags_tag ON scan_node_tags (tag);

CREATE TABLE scan_contributions (
  plugin_id       TEXT NOT NULL,
  extension_id    TEXT NOT NULL,
  node_path       TEXT NOT NULL,
  contribution_id TEXT NOT NULL,
  slot            TEXT NOT NULL,
  payload_json    TEXT NOT NULL,
  emitted_at      INTEGER NOT NULL,
  PRIMARY KEY (plugin_id, extension_id, node_path, contribution_id)
);

CREATE TABLE scan_contribution_errors (
  plugin_id       TEXT NOT NULL,
  extension_id    TEXT NOT NULL,
  node_path       TEXT NOT NULL,
  reason          TEXT NOT NULL,
  message         TEXT NOT NULL,
  contribution_id TEXT,
  slot            TEXT,
  emitted_at      INTEGER NOT NULL
);

CREATE TABLE scan_link_scores (
  plugin_id          TEXT NOT NULL,
  extension_id       TEXT NOT NULL,
  source_path        TEXT NOT NULL,
  target             TEXT NOT NULL,
  kind               TEXT NOT NULL,
  normalized_trigger TEXT,
  op_kind            TEXT NOT NULL,
  op_value           REAL NOT NULL,
  result_confidence  REAL NOT NULL,
  emitted_at         INTEGER NOT NULL
);

-- What the next scan needs of the last one, in forms that only this program
-- reads. Not in the catalogue of the contract.
CREATE TABLE scan_cache (
  name  TEXT PRIMARY KEY NOT NULL,
  value BLOB NOT NULL
);

CREATE TABLE node_enrichments (
  node_path               TEXT NOT NULL,
  extractor_id            TEXT NOT NULL,
  body_hash_at_enrichment TEXT NOT NULL,
  value_json              TEXT NOT NULL,
  stale                   INTEGER NOT NULL DEFAULT 0 CHECK (stale IN (0, 1)),
  enriched_at             INTEGER NOT NULL,
  is_probabilistic        INTEGER NOT NULL DEFAULT 0 CHECK (is_probabilistic IN (0, 1)),
  PRIMARY KEY (node_path, extractor_id)
);

CREATE TABLE state_jobs (
  id                TEXT PRIMARY KEY NOT NULL,
  extension_id      TEXT NOT NULL,
  extension_version TEXT NOT NULL,
  extension_kind    TEXT NOT NULL CHECK (extension_kind IN ('action', 'analyzer')),
  auto_fix          INTEGER NOT NULL DEFAULT 0,
  finding_ids_json  TEXT,
  node_id           TEXT NOT NULL,
  content_hash      TEXT NOT NULL,
  nonce             TEXT NOT NULL,
  priority          INTEGER NOT NULL DEFAULT 0,
  status            TEXT NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
  failure_reason    TEXT CHECK (failure_reason IS NULL OR failure_reason IN
                      ('runner-error', 'report-invalid', 'timeout', 'abandoned', 'job-file-missing', 'user-failed')),
  runner            TEXT CHECK (runner IS NULL OR runner IN ('agent', 'in-process')),
  ttl_seconds       INTEGER,
  created_at        INTEGER NOT NULL,
  claimed_at        INTEGER,
  finished_at       INTEGER,
  expires_at        INTEGER,
  submitted_by      TEXT
);
CREATE INDEX ix_state_jobs_status ON state_jobs (status);
CREATE UNIQUE INDEX ix_state_jobs_extension_node_hash ON state_jobs (extension_id, node_id, content_hash)
  WHERE status IN ('queued', 'running');

CREATE TABLE state_job_contents (
  content_hash TEXT PRIMARY KEY NOT NULL,
  content      TEXT NOT NULL,
  created_at   INTEGER NOT NULL
);

CREATE TABLE state_executions (
  id                TEXT PRIMARY KEY NOT NULL,
  kind              TEXT NOT NULL CHECK (kind IN ('action')),
  extension_id      TEXT NOT NULL,
  extension_version TEXT NOT NULL,
  node_ids_json     TEXT NOT NULL DEFAULT '[]',
  content_hash      TEXT,
  status            TEXT NOT NULL CHECK (status IN ('completed', 'failed', 'cancelled')),
  failure_reason    TEXT,
  exit_code         INTEGER,
  runner            TEXT,
  started_at        INTEGER NOT NULL,
  finished_at       INTEGER NOT NULL,
  duration_ms       INTEGER,
  tokens_in         INTEGER,
  tokens_out        INTEGER,
  model             TEXT,
  report_json       TEXT,
  job_id            TEXT
);
CREATE INDEX ix_state_executions_extension_id ON state_executions (extension_id);
CREATE INDEX ix_state_executions_started_at ON state_executions (started_at);
CREATE INDEX ix_state_executions_job_id ON state_executions (job_id);

CREATE TABLE state_summaries (
  node_id                 TEXT NOT NULL,
  summarizer_action_id    TEXT NOT NULL,
  kind                    TEXT NOT NULL,
  summarizer_version      TEXT NOT NULL,
  body_hash_at_generation TEXT NOT NULL,
  generated_at            INTEGER NOT NULL,
  model                   TEXT,
  summary_json            TEXT NOT NULL,
  PRIMARY KEY (node_id, summarizer_action_id)
);

CREATE TABLE state_findings (
  id                      INTEGER PRIMARY KEY AUTOINCREMENT,
  node_id                 TEXT NOT NULL,
  extension_id            TEXT NOT NULL,
  extension_version       TEXT NOT NULL,
  origin                  TEXT NOT NULL CHECK (origin IN ('extension', 'kernel')),
  type                    TEXT NOT NULL,
  severity                TEXT NOT NULL CHECK (severity IN ('info', 'warn', 'error')),
  message                 TEXT NOT NULL,
  detail                  TEXT,
  confidence              REAL NOT NULL,
  model                   TEXT,
  resolution              TEXT CHECK (resolution IS NULL OR resolution IN ('fixed', 'human-decision', 'dismissed')),
  resolution_actor        TEXT CHECK (resolution_actor IS NULL OR resolution_actor IN ('human', 'fixer')),
  resolution_note         TEXT,
  resolution_by           TEXT,
  resolution_at           INTEGER,
  body_hash_at_generation TEXT NOT NULL,
  generated_at            INTEGER NOT NULL,
  job_id                  TEXT
);
CREATE INDEX ix_state_findings_node_id ON state_findings (node_id);
CREATE INDEX ix_state_findings_extension_id ON state_findings (extension_id);
CREATE INDEX ix_state_findings_generated_at ON state_findings (generated_at);

CREATE TABLE state_enrichments (
  node_id     TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  data_json   TEXT NOT NULL,
  verified    INTEGER CHECK (verified IS NULL OR verified IN (0, 1)),
  fetched_at  INTEGER NOT NULL,
  stale_after INTEGER,
  PRIMARY KEY (node_id, provider_id)
);

CREATE TABLE state_plugin_kvs (
  plugin_id  TEXT NOT NULL,
  node_id    TEXT NOT NULL DEFAULT '',
  key        TEXT NOT NULL,
  value_json TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (plugin_id, node_id, key)
);

CREATE TABLE state_node_favorites (
  node_path    TEXT PRIMARY KEY NOT NULL,
  favorited_at INTEGER NOT NULL
);

CREATE TABLE config_preferences (
  key        TEXT PRIMARY KEY NOT NULL,
  value_json TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);

CREATE TABLE config_schema_versions (
  scope       TEXT NOT NULL CHECK (scope IN ('kernel')),
  owner_id    TEXT NOT NULL,
  version     INTEGER NOT NULL,
  description TEXT NOT NULL,
  applied_at  INTEGER NOT NULL,
  PRIMARY KEY (scope, owner_id, version)
);
