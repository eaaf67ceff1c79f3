CREATE INDEX agent_call_by_agent ON agent_call (agent, began_at);

CREATE INDEX alert_by_state ON alert (state, kind);

CREATE INDEX alert_tells_by_condition ON alert_tells (condition_id);

CREATE INDEX budget_event_by_intent ON budget_event (intent_id);

CREATE INDEX budget_event_by_kind ON budget_event (kind);

CREATE INDEX budget_intent_by_day ON budget_intent (customer_id, account_day);

CREATE INDEX budget_intent_by_state ON budget_intent (state);

CREATE UNIQUE INDEX budget_intent_once_a_day ON budget_intent (customer_id, budget_id, account_day)
    WHERE kind = 'rule' AND state <> 'expired';

CREATE UNIQUE INDEX budget_proposal_by_key ON budget_proposal (rule, agent_key) WHERE agent_key IS NOT NULL;

CREATE UNIQUE INDEX budget_proposal_one_open ON budget_proposal (customer_id, budget_id) WHERE state = 'open';

CREATE UNIQUE INDEX data_test_by_name ON data_test (table_name, name, customer_id);

CREATE INDEX decision_by_day ON decision (customer_id, account_day, kind, rule, subject);

CREATE INDEX decision_by_run ON decision (run_id);

CREATE INDEX decision_by_time ON decision (decided_at);

CREATE INDEX foreign_change_by_day ON foreign_change (customer_id, account_day);

CREATE UNIQUE INDEX message_by_provider_id ON message (channel, provider_id) WHERE provider_id IS NOT NULL;

CREATE INDEX message_by_state ON message (state);

CREATE INDEX outbox_by_message ON outbox (message_id);

CREATE INDEX outbox_by_state ON outbox (state);

CREATE UNIQUE INDEX outbox_once_per_recipient ON outbox (alert_id, occasion, channel, coalesce(recipient, ''));

CREATE UNIQUE INDEX read_link_by_sha256 ON read_link (sha256);

CREATE UNIQUE INDEX saved_question_by_name ON saved_question (name);

CREATE INDEX slice_by_query ON slice (query, customer_id, id);

CREATE INDEX slice_by_run ON slice (run_id, state);

CREATE TABLE account (
    customer_id INTEGER PRIMARY KEY,
    name TEXT,
    currency TEXT,
    time_zone TEXT,
    seen_at TEXT NOT NULL CHECK (seen_at GLOB '????-??-??T??:??:??Z')
  , login_customer_id INTEGER, status TEXT, changes_read_from TEXT CHECK (changes_read_from GLOB '????-??-??'), budget_unit_micros INTEGER CHECK (budget_unit_micros > 0), currency_since TEXT) STRICT;

CREATE TABLE account_day (
    query TEXT NOT NULL,
    customer_id INTEGER NOT NULL,
    date TEXT NOT NULL CHECK (date GLOB '????-??-??'),
    query_text TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('provisional', 'settled')),
    rows INTEGER NOT NULL,
    totals TEXT NOT NULL CHECK (json_valid(totals)),
    slice_id INTEGER NOT NULL REFERENCES slice (id),
    read_at TEXT NOT NULL CHECK (read_at GLOB '????-??-??T??:??:??Z'),
    PRIMARY KEY (query, customer_id, date)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE agent_call (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent TEXT NOT NULL,
    client TEXT NOT NULL,
    client_version TEXT NOT NULL,
    tool TEXT NOT NULL,
    arguments_sha256 TEXT NOT NULL CHECK (length(arguments_sha256) = 64),
    state TEXT NOT NULL CHECK (state IN ('begun', 'answered', 'refused', 'failed')),
    code TEXT,
    answer_bytes INTEGER,
    began_at TEXT NOT NULL,
    ended_at TEXT
  ) STRICT;

CREATE TABLE alert (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dedupe_key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('event', 'condition', 'digest', 'reply', 'test')),
    state TEXT NOT NULL CHECK (state IN ('firing', 'resolved')),
    severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
    customer_id INTEGER,
    rule TEXT,
    text TEXT NOT NULL,
    fired_at TEXT NOT NULL CHECK (fired_at GLOB '????-??-??T??:??:??Z'),
    resolved_at TEXT CHECK (resolved_at GLOB '????-??-??T??:??:??Z'),
    occasions INTEGER NOT NULL DEFAULT 0 CHECK (occasions >= 0),
    notified_at TEXT CHECK (notified_at GLOB '????-??-??T??:??:??Z'),
    notified_as TEXT CHECK (notified_as IN ('first', 'repeat', 'escalated', 'resolved')),
    notified_severity TEXT CHECK (notified_severity IN ('info', 'warning', 'critical')),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??Z'),
    updated_at TEXT NOT NULL CHECK (updated_at GLOB '????-??-??T??:??:??Z'),
    resolved_because TEXT, proposal_code TEXT, recipient TEXT, acknowledged_at TEXT CHECK (acknowledged_at GLOB '????-??-??T??:??:??Z'), acknowledged_by TEXT CHECK (acknowledged_by <> ''),
    CHECK ((state = 'resolved') = (resolved_at IS NOT NULL)),
    CHECK (resolved_because IS NULL OR state = 'resolved'),
    CHECK ((notified_at IS NULL) = (notified_as IS NULL)),
    CHECK ((notified_at IS NULL) = (notified_severity IS NULL))
  ) STRICT;

CREATE TABLE alert_tells (
    alert_id INTEGER NOT NULL REFERENCES alert (id),
    condition_id INTEGER NOT NULL REFERENCES alert (id),
    told_as TEXT NOT NULL CHECK (told_as IN ('first', 'repeat')),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??Z'),
    PRIMARY KEY (alert_id, condition_id)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE budget_event (
    id INTEGER PRIMARY KEY CHECK (id > 0),
    intent_id INTEGER REFERENCES budget_intent (id),
    kind TEXT NOT NULL CHECK (kind <> ''),
    actor TEXT NOT NULL CHECK (actor <> ''),
    detail TEXT NOT NULL CHECK (json_valid(detail)),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??Z'),
    previous_hash TEXT NOT NULL UNIQUE CHECK (length(previous_hash) = 64 AND previous_hash NOT GLOB '*[^0-9a-f]*'),
    hash TEXT NOT NULL CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*')
  ) STRICT;

CREATE TABLE "budget_intent" (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER REFERENCES run (id),
    kind TEXT NOT NULL CHECK (kind IN ('rule', 'undo')),
    undoes INTEGER REFERENCES budget_intent (id),
    customer_id INTEGER NOT NULL,
    budget_id INTEGER NOT NULL,
    campaign_id INTEGER,
    campaign_name TEXT,
    account_day TEXT NOT NULL CHECK (account_day GLOB '????-??-??'),
    currency TEXT NOT NULL,
    rule TEXT NOT NULL,
    rule_version TEXT NOT NULL,
    actor TEXT NOT NULL CHECK (actor <> ''),
    from_micros INTEGER NOT NULL CHECK (from_micros > 0),
    to_micros INTEGER NOT NULL CHECK (to_micros > 0),
    amount_source TEXT NOT NULL CHECK (amount_source IN ('read', 'declared')),
    declared_micros INTEGER CHECK (declared_micros > 0),
    floor_micros INTEGER CHECK (floor_micros > 0),
    ceiling_micros INTEGER CHECK (ceiling_micros > 0),
    state TEXT NOT NULL CHECK (state IN
      ('planned', 'validated', 'sending', 'applied', 'rejected', 'unknown', 'confirmed', 'superseded', 'expired')),
    code TEXT,
    reason TEXT NOT NULL,
    outcome TEXT,
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??Z'),
    updated_at TEXT NOT NULL CHECK (updated_at GLOB '????-??-??T??:??:??Z'),
    alert_text TEXT,
    alert_severity TEXT CHECK (alert_severity IN ('info', 'warning', 'critical')),
    origin TEXT NOT NULL CHECK (origin IN ('rule', 'approval', 'undo')),
    CHECK (from_micros <> to_micros),
    CHECK (floor_micros <= ceiling_micros),
    CHECK ((kind = 'undo') = (undoes IS NOT NULL)),
    CHECK ((kind = 'undo') = (origin = 'undo'))
  ) STRICT;

CREATE TABLE budget_proposal (
    code TEXT PRIMARY KEY CHECK (length(code) = 4),
    run_id INTEGER REFERENCES run (id),
    customer_id INTEGER NOT NULL,
    budget_id INTEGER NOT NULL,
    campaign_id INTEGER,
    campaign_name TEXT,
    account_day TEXT NOT NULL CHECK (account_day GLOB '????-??-??'),
    currency TEXT NOT NULL,
    rule TEXT NOT NULL,
    rule_version TEXT NOT NULL,
    from_micros INTEGER NOT NULL CHECK (from_micros > 0),
    to_micros INTEGER NOT NULL CHECK (to_micros > 0),
    amount_source TEXT NOT NULL CHECK (amount_source IN ('read', 'declared')),
    declared_micros INTEGER CHECK (declared_micros > 0),
    floor_micros INTEGER CHECK (floor_micros > 0),
    ceiling_micros INTEGER CHECK (ceiling_micros > 0),
    state TEXT NOT NULL CHECK (state IN ('open', 'approved', 'rejected', 'expired', 'superseded')),
    reason TEXT NOT NULL,
    intent_id INTEGER REFERENCES budget_intent (id),
    decided_by TEXT,
    decided_at TEXT CHECK (decided_at GLOB '????-??-??T??:??:??Z'),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??Z'),
    expires_at TEXT NOT NULL CHECK (expires_at GLOB '????-??-??T??:??:??Z'), alert_text TEXT, alert_severity TEXT CHECK (alert_severity IN ('info', 'warning', 'critical')), kind TEXT NOT NULL DEFAULT 'rule' CHECK (kind IN ('rule', 'agent')), agent_key TEXT, request_sha256 TEXT CHECK (length(request_sha256) = 64), evidence TEXT CHECK (json_valid(evidence)), as_of TEXT,
    CHECK (from_micros <> to_micros),
    CHECK (floor_micros <= ceiling_micros),
    CHECK ((state = 'open') = (decided_at IS NULL)),
    CHECK ((decided_at IS NULL) = (decided_by IS NULL)),
    CHECK ((state = 'approved') = (intent_id IS NOT NULL))
  ) STRICT;

CREATE TABLE budget_reading (
    customer_id INTEGER NOT NULL,
    budget_id INTEGER NOT NULL,
    amount_micros INTEGER NOT NULL,
    read_at TEXT NOT NULL CHECK (read_at GLOB '????-??-??T??:??:??Z'),
    PRIMARY KEY (customer_id, budget_id)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE "campaign" (customer_id INTEGER NOT NULL, "campaign_id" INTEGER NOT NULL, "campaign_name" TEXT, "campaign_status" TEXT, "campaign_budget_id" INTEGER, "campaign_budget_amount_micros" INTEGER, _row INTEGER NOT NULL, PRIMARY KEY ("customer_id", "campaign_id")) STRICT, WITHOUT ROWID;

CREATE TABLE "campaign_budget" (customer_id INTEGER NOT NULL, "campaign_budget_id" INTEGER NOT NULL, "campaign_budget_name" TEXT, "campaign_budget_amount_micros" INTEGER, "campaign_budget_explicitly_shared" INTEGER, "campaign_budget_reference_count" INTEGER, _row INTEGER NOT NULL, PRIMARY KEY ("customer_id", "campaign_budget_id")) STRICT, WITHOUT ROWID;

CREATE TABLE "campaign_spend" (customer_id INTEGER NOT NULL, "date" TEXT NOT NULL, "campaign_id" INTEGER NOT NULL, "campaign_name" TEXT, "campaign_status" TEXT, "impressions" INTEGER, "clicks" INTEGER, "cost_micros" INTEGER, "conversions" REAL, "conversions_value" REAL, "search_impression_share" REAL, "search_budget_lost_impression_share" REAL, _row INTEGER NOT NULL, PRIMARY KEY ("customer_id", "date", "campaign_id")) STRICT, WITHOUT ROWID;

CREATE TABLE data_test (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    table_name TEXT NOT NULL,
    name TEXT NOT NULL,
    severity TEXT NOT NULL CHECK (severity IN ('warn', 'error')),
    claim TEXT NOT NULL,
    customer_id INTEGER,
    state TEXT NOT NULL CHECK (state IN ('passed', 'failed', 'unknown')),
    failures INTEGER NOT NULL,
    first_rows TEXT NOT NULL CHECK (json_valid(first_rows)),
    reason TEXT,
    tested_at TEXT NOT NULL
  ) STRICT;

CREATE TABLE day_reading (
    query TEXT NOT NULL,
    customer_id INTEGER NOT NULL,
    date TEXT NOT NULL CHECK (date GLOB '????-??-??'),
    slice_id INTEGER NOT NULL REFERENCES slice (id),
    read_at TEXT NOT NULL CHECK (read_at GLOB '????-??-??T??:??:??Z'),
    days_after INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    totals TEXT NOT NULL CHECK (json_valid(totals)),
    PRIMARY KEY (query, customer_id, date, slice_id)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE decision (
    event_id INTEGER PRIMARY KEY REFERENCES budget_event (id),
    kind TEXT NOT NULL CHECK (kind IN ('change', 'proposal', 'refusal', 'would_change')),
    origin TEXT NOT NULL CHECK (origin IN ('rule', 'approval', 'undo')),
    dry_run INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
    run_id INTEGER,
    customer_id INTEGER NOT NULL,
    budget_id INTEGER,
    campaign_id INTEGER,
    campaign_name TEXT,
    subject_kind TEXT CHECK (subject_kind IN ('account', 'budget', 'campaign', 'ad_group', 'keyword')),
    subject TEXT,
    account_day TEXT NOT NULL CHECK (account_day GLOB '????-??-??'),
    rule TEXT NOT NULL,
    rule_version TEXT,
    mode TEXT CHECK (mode IN ('propose', 'approve', 'apply')),
    code TEXT,
    currency TEXT,
    from_micros INTEGER CHECK (from_micros > 0),
    to_micros INTEGER CHECK (to_micros > 0),
    numbers TEXT CHECK (json_valid(numbers)),
    facts TEXT CHECK (json_valid(facts)),
    reason TEXT NOT NULL,
    reason_without_amounts TEXT,
    intent_id INTEGER,
    proposal_code TEXT,
    decided_at TEXT NOT NULL CHECK (decided_at GLOB '????-??-??T??:??:??Z'),
    CHECK ((kind = 'change') = (intent_id IS NOT NULL)),
    CHECK ((kind = 'refusal') = (code IS NOT NULL)),
    CHECK ((kind = 'would_change') = (mode IS NOT NULL)),
    CHECK (kind = 'refusal' OR (budget_id IS NOT NULL AND from_micros IS NOT NULL AND to_micros IS NOT NULL)),
    CHECK (kind <> 'proposal' OR proposal_code IS NOT NULL),
    CHECK (kind = 'change' OR origin = 'rule')
  ) STRICT;

CREATE TABLE foreign_change (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id INTEGER NOT NULL UNIQUE REFERENCES budget_event (id),
    customer_id INTEGER NOT NULL,
    budget_id INTEGER NOT NULL,
    account_day TEXT NOT NULL CHECK (account_day GLOB '????-??-??'),
    expected_micros INTEGER NOT NULL,
    found_micros INTEGER NOT NULL,
    declared_micros INTEGER,
    intent_id INTEGER REFERENCES budget_intent (id),
    seen_at TEXT NOT NULL CHECK (seen_at GLOB '????-??-??T??:??:??Z'), expected_at TEXT CHECK (expected_at GLOB '????-??-??T??:??:??Z'),
    CHECK (expected_micros <> found_micros)
  ) STRICT;

CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);

CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);

CREATE TABLE loaded_piece (
    query TEXT NOT NULL,
    customer_id INTEGER NOT NULL,
    digest BLOB NOT NULL,
    first_row INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    PRIMARY KEY (query, customer_id, digest)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE message (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    recipient TEXT NOT NULL,
    text TEXT NOT NULL,
    reference TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'accepted', 'delivered', 'failed', 'unknown')),
    status TEXT,
    provider_id TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    account TEXT,
    sender TEXT,
    requested_at TEXT CHECK (requested_at GLOB '????-??-??T??:??:??Z'),
    lease_holder TEXT,
    lease_until TEXT CHECK (lease_until GLOB '????-??-??T??:??:??Z'),
    error_code TEXT,
    error TEXT,
    response TEXT,
    may_be_out INTEGER NOT NULL DEFAULT 0 CHECK (may_be_out IN (0, 1)),
    accepted_at TEXT CHECK (accepted_at GLOB '????-??-??T??:??:??Z'),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??Z'),
    updated_at TEXT NOT NULL CHECK (updated_at GLOB '????-??-??T??:??:??Z'),
    CHECK ((state = 'sending') = (lease_holder IS NOT NULL)),
    CHECK ((lease_holder IS NULL) = (lease_until IS NULL))
  ) STRICT;

CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    alert_id INTEGER NOT NULL REFERENCES alert (id),
    occasion INTEGER NOT NULL CHECK (occasion > 0),
    reason TEXT NOT NULL CHECK (reason IN ('event', 'first', 'repeat', 'escalated', 'resolved', 'digest', 'reply', 'test')),
    severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
    text TEXT NOT NULL,
    short TEXT,
    channel TEXT NOT NULL,
    recipient TEXT,
    state TEXT NOT NULL CHECK (state IN
      ('pending', 'sending', 'accepted', 'delivered', 'failed', 'unknown', 'withdrawn')),
    attempts INTEGER NOT NULL DEFAULT 0,
    message_id INTEGER REFERENCES message (id),
    counted INTEGER NOT NULL DEFAULT 0 CHECK (counted IN (0, 1)),
    error TEXT,
    escalated_at TEXT CHECK (escalated_at GLOB '????-??-??T??:??:??Z'),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??Z'),
    updated_at TEXT NOT NULL CHECK (updated_at GLOB '????-??-??T??:??:??Z'),
    withdrawn_because TEXT CHECK (withdrawn_because IN
      ('silenced', 'no_recipient', 'readdressed', 'proposal_over', 'condition_over', 'condition_ended')),
    lost_at TEXT CHECK (lost_at GLOB '????-??-??T??:??:??Z')) STRICT;

CREATE TABLE publication (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    token TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    stamp TEXT NOT NULL
  ) STRICT;

CREATE TABLE query_table (
    name TEXT PRIMARY KEY,
    columns TEXT NOT NULL CHECK (json_valid(columns)),
    query TEXT NOT NULL,
    description TEXT NOT NULL
  , key TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(key)), resource TEXT, next_row INTEGER NOT NULL DEFAULT 1) STRICT;

CREATE TABLE read_link (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    question_id INTEGER,
    fixed TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    created_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_by TEXT,
    revoked_at TEXT
  ) STRICT;

CREATE TABLE reply (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dedupe_key TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    sender TEXT NOT NULL,
    text TEXT NOT NULL,
    proposal_code TEXT,
    outcome TEXT NOT NULL CHECK (outcome IN ('approved', 'declined', 'refused', 'not_an_approver', 'not_understood')),
    answer TEXT,
    received_at TEXT NOT NULL CHECK (received_at GLOB '????-??-??T??:??:??Z'),
    handled_at TEXT NOT NULL CHECK (handled_at GLOB '????-??-??T??:??:??Z')
  ) STRICT;

CREATE TABLE report_mail (
    alert_id INTEGER PRIMARY KEY REFERENCES alert (id),
    subject TEXT NOT NULL CHECK (subject <> ''),
    html TEXT NOT NULL,
    csv_name TEXT,
    csv TEXT);

CREATE TABLE "run" (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    command TEXT NOT NULL,
    target TEXT NOT NULL,
    mode TEXT NOT NULL,
    dry_run INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'stopped', 'failed', 'refused', 'died')),
    started_at TEXT NOT NULL CHECK (started_at GLOB '????-??-??T??:??:??Z'),
    ended_at TEXT CHECK (ended_at GLOB '????-??-??T??:??:??Z'),
    accounts INTEGER NOT NULL DEFAULT 0,
    rows_read INTEGER NOT NULL DEFAULT 0,
    budget_changes INTEGER NOT NULL DEFAULT 0,
    messages_sent INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    operations INTEGER NOT NULL DEFAULT 0,
    record_head TEXT,
    record_proven TEXT CHECK (record_proven IN ('new', 'whole')),
    bounds TEXT CHECK (json_valid(bounds)),
    target_kind TEXT NOT NULL CHECK (target_kind IN ('sandbox', 'live'))
  , notes TEXT CHECK (json_valid(notes))) STRICT;

CREATE TABLE "run_account" (
    run_id INTEGER NOT NULL REFERENCES run (id),
    customer_id INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('read', 'stopped', 'failed', 'left_out', 'not_reached')),
    reason TEXT,
    code TEXT CHECK (code IN ('nothing_to_read')),
    PRIMARY KEY (run_id, customer_id),
    CHECK ((state = 'read') = (reason IS NULL)),
    CHECK (code IS NULL OR state = 'not_reached')
  ) STRICT, WITHOUT ROWID;

CREATE TABLE run_decision (
    run_id INTEGER NOT NULL REFERENCES run (id),
    event_id INTEGER NOT NULL REFERENCES budget_event (id),
    PRIMARY KEY (run_id, event_id)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE run_pacing (
    run_id INTEGER NOT NULL REFERENCES run (id),
    place INTEGER NOT NULL,
    rule TEXT NOT NULL,
    subject TEXT NOT NULL,
    currency TEXT,
    state TEXT NOT NULL,
    target_micros TEXT CHECK (target_micros NOT GLOB '*[^-0-9]*'),
    spent_micros TEXT CHECK (spent_micros NOT GLOB '*[^-0-9]*'),
    ideal_to_date_micros TEXT CHECK (ideal_to_date_micros NOT GLOB '*[^-0-9]*'),
    projected_micros TEXT CHECK (projected_micros NOT GLOB '*[^-0-9]*'),
    budget_micros TEXT CHECK (budget_micros NOT GLOB '*[^-0-9]*'),
    should_be_micros TEXT CHECK (should_be_micros NOT GLOB '*[^-0-9]*'), covers TEXT, customer_id INTEGER, date_from TEXT, date_to TEXT, unsettled_micros TEXT CHECK (unsettled_micros NOT GLOB '*[^-0-9]*'), mode TEXT, members TEXT, rates TEXT, reason TEXT,
    PRIMARY KEY (run_id, place)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE run_pacing_day (
    run_id INTEGER NOT NULL REFERENCES run (id),
    place INTEGER NOT NULL,
    date TEXT NOT NULL,
    ideal_micros TEXT CHECK (ideal_micros NOT GLOB '*[^-0-9]*') NOT NULL,
    cost_micros TEXT CHECK (cost_micros NOT GLOB '*[^-0-9]*'),
    PRIMARY KEY (run_id, place, date)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE saved_question (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    sentence TEXT NOT NULL,
    query TEXT NOT NULL CHECK (length(query) <= 8192),
    chart TEXT NOT NULL,
    saved_by TEXT NOT NULL,
    saved_at TEXT NOT NULL,
    renamed_by TEXT,
    renamed_at TEXT
  ) STRICT;

CREATE TABLE silence (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    customer_id INTEGER,
    rule TEXT,
    severity TEXT CHECK (severity IN ('info', 'warning', 'critical')),
    created_by TEXT NOT NULL CHECK (created_by <> ''),
    why TEXT NOT NULL CHECK (why <> ''),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??Z'),
    expires_at TEXT NOT NULL CHECK (expires_at GLOB '????-??-??T??:??:??Z'),
    ended_by TEXT,
    ended_at TEXT CHECK (ended_at GLOB '????-??-??T??:??:??Z'),
    CHECK ((ended_by IS NULL) = (ended_at IS NULL))
  ) STRICT;

CREATE TABLE slice (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER NOT NULL REFERENCES run (id),
    query TEXT NOT NULL,
    query_text TEXT NOT NULL,
    customer_id INTEGER NOT NULL,
    date_from TEXT,
    date_to TEXT,
    expected INTEGER NOT NULL DEFAULT 1 CHECK (expected IN (0, 1)),
    state TEXT NOT NULL CHECK (state IN ('planned', 'done', 'failed', 'cut', 'not_offered')),
    rows INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    request_id TEXT,
    error TEXT,
    started_at TEXT CHECK (started_at GLOB '????-??-??T??:??:??Z'),
    ended_at TEXT CHECK (ended_at GLOB '????-??-??T??:??:??Z'),
    CHECK ((state = 'planned') = (ended_at IS NULL))
  ) STRICT;

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE "stats" (customer_id INTEGER NOT NULL, "date" TEXT NOT NULL, "ad_group_id" INTEGER NOT NULL, "ad_group_criterion_criterion_id" INTEGER NOT NULL, "campaign_id" INTEGER, "campaign_name" TEXT, "ad_group_name" TEXT, "ad_group_criterion_keyword_text" TEXT, "impressions" INTEGER, "clicks" INTEGER, "cost_micros" INTEGER, _row INTEGER NOT NULL, PRIMARY KEY ("customer_id", "date", "ad_group_id", "ad_group_criterion_criterion_id")) STRICT, WITHOUT ROWID;

CREATE TABLE suspected_change (
    customer_id INTEGER NOT NULL,
    budget_id INTEGER NOT NULL,
    account_day TEXT NOT NULL CHECK (account_day GLOB '????-??-??'),
    expected_micros INTEGER NOT NULL,
    found_micros INTEGER NOT NULL,
    seen_at TEXT NOT NULL CHECK (seen_at GLOB '????-??-??T??:??:??Z'),
    PRIMARY KEY (customer_id, budget_id),
    CHECK (expected_micros <> found_micros)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE "target" (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    identity TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('sandbox', 'live'))
  ) STRICT;

CREATE TABLE unpublished_day (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    query TEXT NOT NULL,
    customer_id INTEGER NOT NULL,
    date TEXT NOT NULL,
    UNIQUE (query, customer_id, date)
  ) STRICT;

CREATE TRIGGER budget_event_goes_on BEFORE INSERT ON budget_event
    WHEN NEW.id <> coalesce((SELECT max(id) FROM budget_event), 0) + 1
      OR NEW.previous_hash <> coalesce((SELECT hash FROM budget_event ORDER BY id DESC LIMIT 1), printf('%064d', 0))
    BEGIN SELECT RAISE(ABORT, 'budget_event only grows: an event follows the last one'); END;

CREATE TRIGGER budget_event_is_not_changed BEFORE UPDATE ON budget_event
    BEGIN SELECT RAISE(ABORT, 'budget_event only grows: an event is never changed'); END;

CREATE TRIGGER budget_event_is_not_deleted BEFORE DELETE ON budget_event
    BEGIN SELECT RAISE(ABORT, 'budget_event only grows: an event is never deleted'); END;
