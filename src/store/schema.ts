import type { Generated } from 'kysely';
import type { AlertSeverity, Channel } from '../domain/channel.ts';
import type { Origin } from '../domain/who-decided.ts';

/** The tables of `state.sqlite` as kysely sees them. Every INTEGER is read as a bigint: int64 stays exact. */
export interface StateSchema {
  target: { id: bigint; identity: string; kind: TargetKind };
  run: {
    id: Generated<bigint>;
    command: string;
    target: string;
    target_kind: TargetKind;
    mode: string;
    dry_run: bigint;
    state: 'running' | 'done' | 'stopped' | 'failed' | 'refused' | 'died';
    started_at: string;
    ended_at: string | null;
    accounts: Generated<bigint>;
    rows_read: Generated<bigint>;
    budget_changes: Generated<bigint>;
    messages_sent: Generated<bigint>;
    failures: Generated<bigint>;
    error: string | null;
    operations: Generated<bigint>;
    /** The newest event at its end, `12:<hash>`, when all before it was proven. */
    record_head: string | null;
    /** Whether what was proven began with the first event, or with the head of the run before. */
    record_proven: 'new' | 'whole' | null;
    /** The settings that say what it may change, as JSON. */
    bounds: string | null;
  };
  account: {
    customer_id: bigint;
    name: string | null;
    currency: string | null;
    time_zone: string | null;
    seen_at: string;
    login_customer_id: bigint | null;
    status: string | null;
  };
  query_table: {
    name: string;
    columns: string;
    query: string;
    description: string;
    key: Generated<string>;
    resource: string | null;
    next_row: Generated<bigint>;
  };
  slice: {
    id: Generated<bigint>;
    run_id: bigint;
    query: string;
    query_text: string;
    customer_id: bigint;
    date_from: string | null;
    date_to: string | null;
    expected: bigint;
    state: SliceState;
    rows: Generated<bigint>;
    bytes: Generated<bigint>;
    request_id: string | null;
    error: string | null;
    started_at: string | null;
    ended_at: string | null;
  };
  account_day: {
    query: string;
    customer_id: bigint;
    date: string;
    query_text: string;
    state: 'provisional' | 'settled';
    rows: bigint;
    totals: string;
    slice_id: bigint;
    read_at: string;
  };
  day_reading: {
    query: string;
    customer_id: bigint;
    date: string;
    slice_id: bigint;
    read_at: string;
    days_after: bigint;
    rows: bigint;
    totals: string;
  };
  run_account: {
    run_id: bigint;
    customer_id: bigint;
    state: 'read' | 'stopped' | 'failed' | 'left_out' | 'not_reached';
    /** Why it was not reached, where nothing failed. */
    code: 'nothing_to_read' | null;
    reason: string | null;
  };
  loaded_piece: { query: string; customer_id: bigint; digest: Uint8Array; first_row: bigint; rows: bigint };
  unpublished_day: { id: Generated<bigint>; query: string; customer_id: bigint; date: string };
  publication: { id: bigint; token: string; fingerprint: string; stamp: string };
  budget_intent: Decided &
    ToldWith & {
      id: Generated<bigint>;
      kind: 'rule' | 'undo';
      /** Who let it through: the rule alone, a person who approved it, or a person who undoes another. */
      origin: Origin;
      undoes: bigint | null;
      actor: string;
      state: IntentState;
      code: string | null;
      outcome: string | null;
      created_at: string;
      updated_at: string;
    };
  budget_event: {
    id: bigint;
    intent_id: bigint | null;
    kind: EventKind;
    actor: string;
    detail: string;
    created_at: string;
    previous_hash: string;
    hash: string;
  };
  budget_proposal: Decided &
    ToldWith & {
      code: string;
      state: ProposalState;
      intent_id: bigint | null;
      decided_by: string | null;
      decided_at: string | null;
      created_at: string;
      expires_at: string;
    };
  foreign_change: {
    id: Generated<bigint>;
    event_id: bigint;
    customer_id: bigint;
    budget_id: bigint;
    account_day: string;
    expected_micros: bigint;
    found_micros: bigint;
    declared_micros: bigint | null;
    intent_id: bigint | null;
    seen_at: string;
  };
  suspected_change: {
    customer_id: bigint;
    budget_id: bigint;
    account_day: string;
    expected_micros: bigint;
    found_micros: bigint;
    seen_at: string;
  };
  alert: {
    id: Generated<bigint>;
    dedupe_key: string;
    kind: 'event' | 'condition' | 'digest' | 'reply' | 'test';
    state: 'firing' | 'resolved';
    severity: AlertSeverity;
    customer_id: bigint | null;
    rule: string | null;
    text: string;
    fired_at: string;
    resolved_at: string | null;
    occasions: Generated<bigint>;
    notified_at: string | null;
    notified_as: 'first' | 'repeat' | 'escalated' | 'resolved' | null;
    notified_severity: AlertSeverity | null;
    created_at: string;
    updated_at: string;
    /** Why it was ended, where nobody is told. */
    resolved_because: string | null;
    /** The proposal that it asks about. */
    proposal_code: string | null;
    /** The name of the recipient whose digest it is. */
    recipient: string | null;
  };
  /** The conditions that an alert tells beside what it is about. */
  alert_tells: { alert_id: bigint; condition_id: bigint; told_as: 'first' | 'repeat'; created_at: string };
  message: {
    id: Generated<bigint>;
    channel: Channel;
    recipient: string;
    text: string;
    reference: string;
    state: 'pending' | 'sending' | 'accepted' | 'delivered' | 'failed' | 'unknown';
    /** The provider's last word on it: `queued`, `sent`, `read`. */
    status: string | null;
    provider_id: string | null;
    attempts: Generated<bigint>;
    /** Of the last request: the account in its path and the address that it came from. Area C alone. */
    account: string | null;
    sender: string | null;
    /** When the last request was about to leave. */
    requested_at: string | null;
    lease_holder: string | null;
    lease_until: string | null;
    error_code: string | null;
    error: string | null;
    response: string | null;
    /** 1 once an outcome was not known: from then on its text stays as it is. */
    may_be_out: Generated<bigint>;
    accepted_at: string | null;
    created_at: string;
    updated_at: string;
  };
  outbox: {
    id: Generated<bigint>;
    alert_id: bigint;
    occasion: bigint;
    reason: 'event' | 'first' | 'repeat' | 'escalated' | 'resolved' | 'digest' | 'reply' | 'test';
    severity: AlertSeverity;
    text: string;
    /** The one line that asks for an answer, where one is wanted. */
    short: string | null;
    channel: Channel;
    recipient: string | null;
    state: 'pending' | 'sending' | 'accepted' | 'delivered' | 'failed' | 'unknown' | 'withdrawn';
    attempts: Generated<bigint>;
    message_id: bigint | null;
    /** 1 where its message tells of it as one of a number only. */
    counted: Generated<bigint>;
    error: string | null;
    /** Null where it was not withdrawn, or before this was written down. */
    withdrawn_because: WithdrawnBecause | null;
    /** When it was passed on to the next channel, or told loudly for want of one. */
    escalated_at: string | null;
    created_at: string;
    updated_at: string;
  };
  silence: {
    id: Generated<bigint>;
    customer_id: bigint | null;
    rule: string | null;
    severity: AlertSeverity | null;
    created_by: string;
    why: string;
    created_at: string;
    expires_at: string;
    ended_by: string | null;
    ended_at: string | null;
  };
  reply: {
    id: Generated<bigint>;
    dedupe_key: string;
    channel: Channel;
    sender: string;
    text: string;
    proposal_code: string | null;
    outcome: 'approved' | 'declined' | 'refused' | 'not_an_approver' | 'not_understood';
    answer: string | null;
    received_at: string;
    handled_at: string;
  };
}

/** What intents and proposals say of the change that was decided. */
export interface Decided {
  run_id: bigint | null;
  customer_id: bigint;
  budget_id: bigint;
  campaign_id: bigint | null;
  campaign_name: string | null;
  account_day: string;
  currency: string;
  rule: string;
  rule_version: string;
  from_micros: bigint;
  to_micros: bigint;
  amount_source: 'read' | 'declared';
  declared_micros: bigint | null;
  floor_micros: bigint | null;
  ceiling_micros: bigint | null;
  reason: string;
}

/** What the rule tells people of the change. */
export interface ToldWith {
  alert_text: string | null;
  alert_severity: AlertSeverity | null;
}

/** planned → done | failed | not_offered, or cut into slices of fewer days that stand beside it. */
export type SliceState = 'planned' | 'done' | 'failed' | 'cut' | 'not_offered';

/** A simulated service, or one where real money is spent. */
export type TargetKind = 'sandbox' | 'live';

/** Why something is not told after all. */
export type WithdrawnBecause =
  | 'silenced'
  | 'no_recipient'
  | 'readdressed'
  | 'proposal_over'
  | 'condition_over'
  | 'condition_ended';

/** What may follow what, and why, is in `intent-states.ts`. */
export type IntentState =
  | 'planned'
  | 'validated'
  | 'sending'
  | 'applied'
  | 'rejected'
  | 'unknown'
  | 'confirmed'
  | 'superseded'
  | 'expired';

export type ProposalState = 'open' | 'approved' | 'rejected' | 'expired' | 'superseded';

/**
 * What an event says has happened. The state that an intent came to; `recorded` for what an intent of before there were
 * events had come to. A proposal was made, approved, declined, or ended without a person. Changes were frozen. A budget
 * has another amount than we last set. The record was taken over from a published
 * file, or a copy was put back. A run saw settings that let more be changed than those of the run before.
 */
export const EVENT_KINDS = [
  'planned',
  'validated',
  'sending',
  'applied',
  'rejected',
  'unknown',
  'confirmed',
  'superseded',
  'expired',
  'recorded',
  'proposed',
  'approved',
  'declined',
  'proposal_expired',
  'frozen',
  'unfrozen',
  'freeze_file_found',
  'freeze_file_gone',
  'foreign_change',
  'adopted',
  'restored',
  'settings_widened',
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];
