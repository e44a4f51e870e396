-- Times are microseconds since 1970 in UTC. Names, addresses and texts that
-- are compared whatever their case have a folded twin (…_key, folded), so
-- both engines compare bytes and agree. {{id}} is the engine's own way to
-- number rows and never reuse a number.

CREATE TABLE users (
	id         {{id}},
	name       TEXT    NOT NULL,
	name_key   TEXT    NOT NULL UNIQUE,
	email      TEXT    NOT NULL,
	email_key  TEXT    NOT NULL UNIQUE,
	password   TEXT    NOT NULL,
	admin      BOOLEAN NOT NULL,
	disabled   BOOLEAN NOT NULL,
	origin     TEXT    NOT NULL,
	origin_id  TEXT    NOT NULL,
	created_at BIGINT  NOT NULL,
	updated_at BIGINT  NOT NULL
);
CREATE UNIQUE INDEX users_origin ON users (origin, origin_id) WHERE origin_id <> '';

CREATE TABLE tokens (
	id         {{id}},
	user_id    BIGINT NOT NULL REFERENCES users (id),
	parent_id  BIGINT REFERENCES tokens (id),
	kind       TEXT   NOT NULL,
	label      TEXT   NOT NULL,
	hint       TEXT   NOT NULL,
	hash       TEXT   NOT NULL UNIQUE,
	reach      TEXT   NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT,
	used_at    BIGINT,
	revoked_at BIGINT
);
CREATE INDEX tokens_user ON tokens (user_id, id);
CREATE INDEX tokens_parent ON tokens (parent_id);

CREATE TABLE repositories (
	id             {{id}},
	owner_id       BIGINT  NOT NULL REFERENCES users (id),
	name           TEXT    NOT NULL,
	name_key       TEXT    NOT NULL,
	description    TEXT    NOT NULL,
	default_branch TEXT    NOT NULL,
	private        BOOLEAN NOT NULL,
	last_number    BIGINT  NOT NULL,
	open_issues    BIGINT  NOT NULL,
	closed_issues  BIGINT  NOT NULL,
	open_pulls     BIGINT  NOT NULL,
	closed_pulls   BIGINT  NOT NULL,
	merged_pulls   BIGINT  NOT NULL,
	created_at     BIGINT  NOT NULL,
	updated_at     BIGINT  NOT NULL,
	CONSTRAINT repositories_name UNIQUE (owner_id, name_key)
);
CREATE INDEX repositories_recent ON repositories (updated_at, id);
CREATE INDEX repositories_owner ON repositories (owner_id, updated_at, id);

-- A name that a repository had before.
CREATE TABLE redirects (
	owner_id BIGINT NOT NULL REFERENCES users (id),
	name_key TEXT   NOT NULL,
	repo_id  BIGINT NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
	PRIMARY KEY (owner_id, name_key)
);
CREATE INDEX redirects_repo ON redirects (repo_id);

CREATE TABLE collaborators (
	repo_id    BIGINT  NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
	user_id    BIGINT  NOT NULL REFERENCES users (id),
	role       INTEGER NOT NULL,
	created_at BIGINT  NOT NULL,
	PRIMARY KEY (repo_id, user_id)
);
CREATE INDEX collaborators_user ON collaborators (user_id, repo_id);

CREATE TABLE issues (
	id         {{id}},
	repo_id    BIGINT NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
	number     BIGINT NOT NULL,
	title      TEXT   NOT NULL,
	state      TEXT   NOT NULL,
	author_id  BIGINT NOT NULL REFERENCES users (id),
	via_token  TEXT   NOT NULL,
	via_client TEXT   NOT NULL,
	comments   BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	closed_at  BIGINT,
	closed_by  BIGINT REFERENCES users (id),
	folded     TEXT   NOT NULL,
	body       TEXT   NOT NULL,
	CONSTRAINT issues_number UNIQUE (repo_id, number)
);
CREATE INDEX issues_state ON issues (repo_id, state, number);

CREATE TABLE pulls (
	id         {{id}},
	repo_id    BIGINT NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
	number     BIGINT NOT NULL,
	title      TEXT   NOT NULL,
	state      TEXT   NOT NULL,
	author_id  BIGINT NOT NULL REFERENCES users (id),
	via_token  TEXT   NOT NULL,
	via_client TEXT   NOT NULL,
	head_ref   TEXT   NOT NULL,
	base_ref   TEXT   NOT NULL,
	head_id    TEXT   NOT NULL,
	base_id    TEXT   NOT NULL,
	comments   BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	closed_at  BIGINT,
	closed_by  BIGINT REFERENCES users (id),
	merged_at  BIGINT,
	merged_by  BIGINT REFERENCES users (id),
	merge_id   TEXT   NOT NULL,
	folded     TEXT   NOT NULL,
	body       TEXT   NOT NULL,
	CONSTRAINT pulls_number UNIQUE (repo_id, number)
);
CREATE INDEX pulls_state ON pulls (repo_id, state, number);

CREATE TABLE comments (
	id         {{id}},
	repo_id    BIGINT  NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
	number     BIGINT  NOT NULL,
	on_pull    BOOLEAN NOT NULL,
	author_id  BIGINT  NOT NULL REFERENCES users (id),
	via_token  TEXT    NOT NULL,
	via_client TEXT    NOT NULL,
	created_at BIGINT  NOT NULL,
	updated_at BIGINT  NOT NULL,
	body       TEXT    NOT NULL
);
CREATE INDEX comments_on ON comments (repo_id, number, id);

-- Uses of what is rationed: sign-ins, web searches.
CREATE TABLE hits (
	bucket TEXT   NOT NULL,
	at     BIGINT NOT NULL
);
CREATE INDEX hits_bucket ON hits (bucket, at);
CREATE INDEX hits_at ON hits (at);

-- Who did what, and through what. Plain values, no references: the line
-- outlives the repository and the token it speaks of.
CREATE TABLE acts (
	id         {{id}},
	at         BIGINT NOT NULL,
	kind       TEXT   NOT NULL,
	repo_id    BIGINT NOT NULL,
	repo       TEXT   NOT NULL,
	number     BIGINT NOT NULL,
	actor_id   BIGINT NOT NULL,
	actor      TEXT   NOT NULL,
	token_id   BIGINT NOT NULL,
	via_token  TEXT   NOT NULL,
	via_client TEXT   NOT NULL,
	detail     TEXT   NOT NULL
);
CREATE INDEX acts_repo ON acts (repo_id, id);
CREATE INDEX acts_actor ON acts (actor_id, id);
