// Written by `npm run schema`.

/**
 * Each table with its columns, each index and trigger with its SQL. SQLite's own indexes have no SQL.
 * Tables are first, because a missing table lacks its indexes too.
 */
export const MADE_BY_MIGRATIONS: readonly (readonly [object: string, words: string])[] = [
  [
    'table account',
    'customer_id INTEGER, name TEXT, currency TEXT, time_zone TEXT, seen_at TEXT, login_customer_id INTEGER, status TEXT, changes_read_from TEXT, budget_unit_micros INTEGER',
  ],
  [
    'table account_day',
    'query TEXT, customer_id INTEGER, date TEXT, query_text TEXT, state TEXT, rows INTEGER, totals TEXT, slice_id INTEGER, read_at TEXT',
  ],
  [
    'table alert',
    'id INTEGER, dedupe_key TEXT, kind TEXT, state TEXT, severity TEXT, customer_id INTEGER, rule TEXT, text TEXT, fired_at TEXT, resolved_at TEXT, occasions INTEGER, notified_at TEXT, notified_as TEXT, notified_severity TEXT, created_at TEXT, updated_at TEXT, resolved_because TEXT, proposal_code TEXT, recipient TEXT',
  ],
  ['table alert_tells', 'alert_id INTEGER, condition_id INTEGER, told_as TEXT, created_at TEXT'],
  [
    'table budget_event',
    'id INTEGER, intent_id INTEGER, kind TEXT, actor TEXT, detail TEXT, created_at TEXT, previous_hash TEXT, hash TEXT',
  ],
  [
    'table budget_intent',
    'id INTEGER, run_id INTEGER, kind TEXT, undoes INTEGER, customer_id INTEGER, budget_id INTEGER, campaign_id INTEGER, campaign_name TEXT, account_day TEXT, currency TEXT, rule TEXT, rule_version TEXT, actor TEXT, from_micros INTEGER, to_micros INTEGER, amount_source TEXT, declared_micros INTEGER, floor_micros INTEGER, ceiling_micros INTEGER, state TEXT, code TEXT, reason TEXT, outcome TEXT, created_at TEXT, updated_at TEXT, alert_text TEXT, alert_severity TEXT, origin TEXT',
  ],
  [
    'table budget_proposal',
    'code TEXT, run_id INTEGER, customer_id INTEGER, budget_id INTEGER, campaign_id INTEGER, campaign_name TEXT, account_day TEXT, currency TEXT, rule TEXT, rule_version TEXT, from_micros INTEGER, to_micros INTEGER, amount_source TEXT, declared_micros INTEGER, floor_micros INTEGER, ceiling_micros INTEGER, state TEXT, reason TEXT, intent_id INTEGER, decided_by TEXT, decided_at TEXT, created_at TEXT, expires_at TEXT, alert_text TEXT, alert_severity TEXT',
  ],
  ['table budget_reading', 'customer_id INTEGER, budget_id INTEGER, amount_micros INTEGER, read_at TEXT'],
  [
    'table day_reading',
    'query TEXT, customer_id INTEGER, date TEXT, slice_id INTEGER, read_at TEXT, days_after INTEGER, rows INTEGER, totals TEXT',
  ],
  [
    'table decision',
    'event_id INTEGER, kind TEXT, origin TEXT, dry_run INTEGER, run_id INTEGER, customer_id INTEGER, budget_id INTEGER, campaign_id INTEGER, campaign_name TEXT, subject_kind TEXT, subject TEXT, account_day TEXT, rule TEXT, rule_version TEXT, mode TEXT, code TEXT, currency TEXT, from_micros INTEGER, to_micros INTEGER, numbers TEXT, facts TEXT, reason TEXT, reason_without_amounts TEXT, intent_id INTEGER, proposal_code TEXT, decided_at TEXT',
  ],
  [
    'table foreign_change',
    'id INTEGER, event_id INTEGER, customer_id INTEGER, budget_id INTEGER, account_day TEXT, expected_micros INTEGER, found_micros INTEGER, declared_micros INTEGER, intent_id INTEGER, seen_at TEXT, expected_at TEXT',
  ],
  ['table loaded_piece', 'query TEXT, customer_id INTEGER, digest BLOB, first_row INTEGER, rows INTEGER'],
  [
    'table message',
    'id INTEGER, channel TEXT, recipient TEXT, text TEXT, reference TEXT, state TEXT, status TEXT, provider_id TEXT, attempts INTEGER, account TEXT, sender TEXT, requested_at TEXT, lease_holder TEXT, lease_until TEXT, error_code TEXT, error TEXT, response TEXT, may_be_out INTEGER, accepted_at TEXT, created_at TEXT, updated_at TEXT',
  ],
  [
    'table outbox',
    'id INTEGER, alert_id INTEGER, occasion INTEGER, reason TEXT, severity TEXT, text TEXT, short TEXT, channel TEXT, recipient TEXT, state TEXT, attempts INTEGER, message_id INTEGER, counted INTEGER, error TEXT, escalated_at TEXT, created_at TEXT, updated_at TEXT, withdrawn_because TEXT, lost_at TEXT, acknowledged_by TEXT',
  ],
  ['table publication', 'id INTEGER, token TEXT, fingerprint TEXT, stamp TEXT'],
  [
    'table query_table',
    'name TEXT, columns TEXT, query TEXT, description TEXT, key TEXT, resource TEXT, next_row INTEGER',
  ],
  [
    'table reply',
    'id INTEGER, dedupe_key TEXT, channel TEXT, sender TEXT, text TEXT, proposal_code TEXT, outcome TEXT, answer TEXT, received_at TEXT, handled_at TEXT',
  ],
  [
    'table run',
    'id INTEGER, command TEXT, target TEXT, mode TEXT, dry_run INTEGER, state TEXT, started_at TEXT, ended_at TEXT, accounts INTEGER, rows_read INTEGER, budget_changes INTEGER, messages_sent INTEGER, failures INTEGER, error TEXT, operations INTEGER, record_head TEXT, record_proven TEXT, bounds TEXT, target_kind TEXT, notes TEXT',
  ],
  ['table run_account', 'run_id INTEGER, customer_id INTEGER, state TEXT, reason TEXT, code TEXT'],
  ['table run_decision', 'run_id INTEGER, event_id INTEGER'],
  [
    'table run_pacing',
    'run_id INTEGER, place INTEGER, rule TEXT, customer_id INTEGER, subject TEXT, currency TEXT, state TEXT, target_micros TEXT, spent_micros TEXT, ideal_to_date_micros TEXT, projected_micros TEXT, budget_micros TEXT, should_be_micros TEXT',
  ],
  [
    'table silence',
    'id INTEGER, customer_id INTEGER, rule TEXT, severity TEXT, created_by TEXT, why TEXT, created_at TEXT, expires_at TEXT, ended_by TEXT, ended_at TEXT',
  ],
  [
    'table slice',
    'id INTEGER, run_id INTEGER, query TEXT, query_text TEXT, customer_id INTEGER, date_from TEXT, date_to TEXT, expected INTEGER, state TEXT, rows INTEGER, bytes INTEGER, request_id TEXT, error TEXT, started_at TEXT, ended_at TEXT',
  ],
  [
    'table suspected_change',
    'customer_id INTEGER, budget_id INTEGER, account_day TEXT, expected_micros INTEGER, found_micros INTEGER, seen_at TEXT',
  ],
  ['table target', 'id INTEGER, identity TEXT, kind TEXT'],
  ['table unpublished_day', 'id INTEGER, query TEXT, customer_id INTEGER, date TEXT'],
  ['index alert_by_state', 'CREATE INDEX alert_by_state ON alert (state, kind)'],
  ['index alert_tells_by_condition', 'CREATE INDEX alert_tells_by_condition ON alert_tells (condition_id)'],
  ['index budget_event_by_intent', 'CREATE INDEX budget_event_by_intent ON budget_event (intent_id)'],
  ['index budget_event_by_kind', 'CREATE INDEX budget_event_by_kind ON budget_event (kind)'],
  ['index budget_intent_by_day', 'CREATE INDEX budget_intent_by_day ON budget_intent (customer_id, account_day)'],
  ['index budget_intent_by_state', 'CREATE INDEX budget_intent_by_state ON budget_intent (state)'],
  [
    'index budget_intent_once_a_day',
    "CREATE UNIQUE INDEX budget_intent_once_a_day ON budget_intent (customer_id, budget_id, account_day) WHERE kind = 'rule' AND state <> 'expired'",
  ],
  [
    'index budget_proposal_one_open',
    "CREATE UNIQUE INDEX budget_proposal_one_open ON budget_proposal (customer_id, budget_id) WHERE state = 'open'",
  ],
  ['index decision_by_day', 'CREATE INDEX decision_by_day ON decision (customer_id, account_day, kind, rule, subject)'],
  ['index decision_by_run', 'CREATE INDEX decision_by_run ON decision (run_id)'],
  ['index decision_by_time', 'CREATE INDEX decision_by_time ON decision (decided_at)'],
  ['index foreign_change_by_day', 'CREATE INDEX foreign_change_by_day ON foreign_change (customer_id, account_day)'],
  [
    'index message_by_provider_id',
    'CREATE UNIQUE INDEX message_by_provider_id ON message (channel, provider_id) WHERE provider_id IS NOT NULL',
  ],
  ['index message_by_state', 'CREATE INDEX message_by_state ON message (state)'],
  ['index outbox_by_message', 'CREATE INDEX outbox_by_message ON outbox (message_id)'],
  ['index outbox_by_state', 'CREATE INDEX outbox_by_state ON outbox (state)'],
  [
    'index outbox_once_per_recipient',
    "CREATE UNIQUE INDEX outbox_once_per_recipient ON outbox (alert_id, occasion, channel, coalesce(recipient, ''))",
  ],
  ['index slice_by_query', 'CREATE INDEX slice_by_query ON slice (query, customer_id, id)'],
  ['index slice_by_run', 'CREATE INDEX slice_by_run ON slice (run_id, state)'],
  ['index sqlite_autoindex_alert_1', ''],
  ['index sqlite_autoindex_budget_event_1', ''],
  ['index sqlite_autoindex_budget_proposal_1', ''],
  ['index sqlite_autoindex_foreign_change_1', ''],
  ['index sqlite_autoindex_message_1', ''],
  ['index sqlite_autoindex_query_table_1', ''],
  ['index sqlite_autoindex_reply_1', ''],
  ['index sqlite_autoindex_unpublished_day_1', ''],
  [
    'trigger budget_event_goes_on',
    "CREATE TRIGGER budget_event_goes_on BEFORE INSERT ON budget_event WHEN NEW.id <> coalesce((SELECT max(id) FROM budget_event), 0) + 1 OR NEW.previous_hash <> coalesce((SELECT hash FROM budget_event ORDER BY id DESC LIMIT 1), printf('%064d', 0)) BEGIN SELECT RAISE(ABORT, 'budget_event only grows: an event follows the last one'); END",
  ],
  [
    'trigger budget_event_is_not_changed',
    "CREATE TRIGGER budget_event_is_not_changed BEFORE UPDATE ON budget_event BEGIN SELECT RAISE(ABORT, 'budget_event only grows: an event is never changed'); END",
  ],
  [
    'trigger budget_event_is_not_deleted',
    "CREATE TRIGGER budget_event_is_not_deleted BEFORE DELETE ON budget_event BEGIN SELECT RAISE(ABORT, 'budget_event only grows: an event is never deleted'); END",
  ],
];
