/** Revoked tokens stay, so that a file with an old token cannot bring the token back. */
export const ACCESS_TOKEN_TABLE: readonly string[] = [
  `CREATE TABLE access_token (sha256 text COLLATE "C" PRIMARY KEY CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    name text COLLATE "C" NOT NULL, role text COLLATE "C" NOT NULL, created_at text COLLATE "C" NOT NULL,
    revoked_at text COLLATE "C")`,
  'CREATE UNIQUE INDEX access_token_by_name ON access_token (name) WHERE revoked_at IS NULL',
  // Sent forms and ended logins.
  'CREATE TABLE spent_id (id text COLLATE "C" PRIMARY KEY, until_ms bigint NOT NULL)',
];
