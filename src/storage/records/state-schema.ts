// Written by `npm run schema` from the migrated tables. Change a migration or `column-brands.ts` instead.
import type { ColumnType, Generated } from 'kysely';
import type { CivilDate } from '../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';

/** NULL is read as undefined. In an update, null empties the column, and undefined leaves it unchanged. */
type Optional<Value> = ColumnType<Value | undefined, Value | null | undefined, Value | null>;

/** The tables of `state.sqlite` for kysely. Integers are bigints, except ids of accounts, budgets and campaigns. */
export interface StateSchema {
  account: {
    customerId: CustomerId;
    name: Optional<string>;
    currency: Optional<string>;
    timeZone: Optional<string>;
    seenAt: string;
    loginCustomerId: Optional<CustomerId>;
    status: Optional<string>;
    changesReadFrom: Optional<CivilDate>;
    budgetUnitMicros: Optional<Micros>;
    currencySince: Optional<string>;
  };
  accountDay: {
    query: string;
    customerId: CustomerId;
    date: CivilDate;
    queryText: string;
    state: 'provisional' | 'settled';
    rows: bigint;
    totals: string;
    sliceId: bigint;
    readAt: string;
  };
  agentCall: {
    id: Generated<bigint>;
    agent: string;
    client: string;
    clientVersion: string;
    tool: string;
    argumentsSha256: string;
    state: 'begun' | 'answered' | 'refused' | 'failed';
    code: Optional<string>;
    answerBytes: Optional<bigint>;
    beganAt: string;
    endedAt: Optional<string>;
  };
  alert: {
    id: Generated<bigint>;
    dedupeKey: string;
    kind: 'event' | 'condition' | 'digest' | 'reply' | 'test';
    state: 'firing' | 'resolved';
    severity: 'info' | 'warning' | 'critical';
    customerId: Optional<CustomerId>;
    rule: Optional<string>;
    text: string;
    firedAt: string;
    resolvedAt: Optional<string>;
    occasions: Generated<bigint>;
    notifiedAt: Optional<string>;
    notifiedAs: Optional<'first' | 'repeat' | 'escalated' | 'resolved'>;
    notifiedSeverity: Optional<'info' | 'warning' | 'critical'>;
    createdAt: string;
    updatedAt: string;
    resolvedBecause: Optional<string>;
    proposalCode: Optional<string>;
    recipient: Optional<string>;
    acknowledgedAt: Optional<string>;
    acknowledgedBy: Optional<string>;
  };
  alertTells: {
    alertId: bigint;
    conditionId: bigint;
    toldAs: 'first' | 'repeat';
    createdAt: string;
  };
  budgetEvent: {
    id: bigint;
    intentId: Optional<bigint>;
    kind: string;
    actor: string;
    detail: string;
    createdAt: string;
    previousHash: string;
    hash: string;
  };
  budgetIntent: {
    id: Generated<bigint>;
    runId: Optional<bigint>;
    kind: 'rule' | 'undo';
    undoes: Optional<bigint>;
    customerId: CustomerId;
    budgetId: BudgetId;
    campaignId: Optional<CampaignId>;
    campaignName: Optional<string>;
    accountDay: CivilDate;
    currency: string;
    rule: string;
    ruleVersion: string;
    actor: string;
    fromMicros: Micros;
    toMicros: Micros;
    amountSource: 'read' | 'declared';
    declaredMicros: Optional<Micros>;
    floorMicros: Optional<Micros>;
    ceilingMicros: Optional<Micros>;
    state:
      | 'planned'
      | 'validated'
      | 'sending'
      | 'applied'
      | 'rejected'
      | 'unknown'
      | 'confirmed'
      | 'superseded'
      | 'expired';
    code: Optional<string>;
    reason: string;
    outcome: Optional<string>;
    createdAt: string;
    updatedAt: string;
    alertText: Optional<string>;
    alertSeverity: Optional<'info' | 'warning' | 'critical'>;
    origin: 'rule' | 'approval' | 'undo';
  };
  budgetProposal: {
    code: string;
    runId: Optional<bigint>;
    customerId: CustomerId;
    budgetId: BudgetId;
    campaignId: Optional<CampaignId>;
    campaignName: Optional<string>;
    accountDay: CivilDate;
    currency: string;
    rule: string;
    ruleVersion: string;
    fromMicros: Micros;
    toMicros: Micros;
    amountSource: 'read' | 'declared';
    declaredMicros: Optional<Micros>;
    floorMicros: Optional<Micros>;
    ceilingMicros: Optional<Micros>;
    state: 'open' | 'approved' | 'rejected' | 'expired' | 'superseded';
    reason: string;
    intentId: Optional<bigint>;
    decidedBy: Optional<string>;
    decidedAt: Optional<string>;
    createdAt: string;
    expiresAt: string;
    alertText: Optional<string>;
    alertSeverity: Optional<'info' | 'warning' | 'critical'>;
    kind: Generated<'rule' | 'agent'>;
    agentKey: Optional<string>;
    requestSha256: Optional<string>;
    evidence: Optional<string>;
    asOf: Optional<string>;
  };
  budgetReading: {
    customerId: CustomerId;
    budgetId: BudgetId;
    amountMicros: Micros;
    readAt: string;
  };
  dataTest: {
    id: Generated<bigint>;
    tableName: string;
    name: string;
    severity: 'warn' | 'error';
    claim: string;
    customerId: Optional<CustomerId>;
    state: 'passed' | 'failed' | 'unknown';
    failures: bigint;
    firstRows: string;
    reason: Optional<string>;
    testedAt: string;
  };
  dayReading: {
    query: string;
    customerId: CustomerId;
    date: CivilDate;
    sliceId: bigint;
    readAt: string;
    daysAfter: bigint;
    rows: bigint;
    totals: string;
  };
  decision: {
    eventId: bigint;
    kind: 'change' | 'proposal' | 'refusal' | 'would_change';
    origin: 'rule' | 'approval' | 'undo';
    dryRun: 0n | 1n;
    runId: Optional<bigint>;
    customerId: CustomerId;
    budgetId: Optional<BudgetId>;
    campaignId: Optional<CampaignId>;
    campaignName: Optional<string>;
    subjectKind: Optional<'account' | 'budget' | 'campaign' | 'ad_group' | 'keyword'>;
    subject: Optional<string>;
    accountDay: CivilDate;
    rule: string;
    ruleVersion: Optional<string>;
    mode: Optional<'propose' | 'approve' | 'apply'>;
    code: Optional<string>;
    currency: Optional<string>;
    fromMicros: Optional<Micros>;
    toMicros: Optional<Micros>;
    numbers: Optional<string>;
    facts: Optional<string>;
    reason: string;
    reasonWithoutAmounts: Optional<string>;
    intentId: Optional<bigint>;
    proposalCode: Optional<string>;
    decidedAt: string;
  };
  foreignChange: {
    id: Generated<bigint>;
    eventId: bigint;
    customerId: CustomerId;
    budgetId: BudgetId;
    accountDay: CivilDate;
    expectedMicros: Micros;
    foundMicros: Micros;
    declaredMicros: Optional<Micros>;
    intentId: Optional<bigint>;
    seenAt: string;
    expectedAt: Optional<string>;
  };
  loadedPiece: {
    query: string;
    customerId: CustomerId;
    digest: Uint8Array;
    firstRow: bigint;
    rows: bigint;
  };
  message: {
    id: Generated<bigint>;
    channel: string;
    recipient: string;
    text: string;
    reference: string;
    state: 'pending' | 'sending' | 'accepted' | 'delivered' | 'failed' | 'unknown';
    status: Optional<string>;
    providerId: Optional<string>;
    attempts: Generated<bigint>;
    account: Optional<string>;
    sender: Optional<string>;
    requestedAt: Optional<string>;
    leaseHolder: Optional<string>;
    leaseUntil: Optional<string>;
    errorCode: Optional<string>;
    error: Optional<string>;
    response: Optional<string>;
    mayBeOut: Generated<0n | 1n>;
    acceptedAt: Optional<string>;
    createdAt: string;
    updatedAt: string;
  };
  outbox: {
    id: Generated<bigint>;
    alertId: bigint;
    occasion: bigint;
    reason: 'event' | 'first' | 'repeat' | 'escalated' | 'resolved' | 'digest' | 'reply' | 'test';
    severity: 'info' | 'warning' | 'critical';
    text: string;
    short: Optional<string>;
    channel: string;
    recipient: Optional<string>;
    state: 'pending' | 'sending' | 'accepted' | 'delivered' | 'failed' | 'unknown' | 'withdrawn';
    attempts: Generated<bigint>;
    messageId: Optional<bigint>;
    counted: Generated<0n | 1n>;
    error: Optional<string>;
    escalatedAt: Optional<string>;
    createdAt: string;
    updatedAt: string;
    withdrawnBecause: Optional<
      'silenced' | 'no_recipient' | 'readdressed' | 'proposal_over' | 'condition_over' | 'condition_ended'
    >;
    lostAt: Optional<string>;
  };
  publication: {
    id: bigint;
    token: string;
    fingerprint: string;
    stamp: string;
  };
  queryTable: {
    name: string;
    columns: string;
    query: string;
    description: string;
    key: Generated<string>;
    resource: Optional<string>;
    nextRow: Generated<bigint>;
  };
  readLink: {
    id: Generated<bigint>;
    name: string;
    questionId: Optional<bigint>;
    fixed: string;
    sha256: string;
    createdBy: string;
    createdAt: string;
    expiresAt: string;
    revokedBy: Optional<string>;
    revokedAt: Optional<string>;
  };
  reply: {
    id: Generated<bigint>;
    dedupeKey: string;
    channel: string;
    sender: string;
    text: string;
    proposalCode: Optional<string>;
    outcome: 'approved' | 'declined' | 'refused' | 'not_an_approver' | 'not_understood';
    answer: Optional<string>;
    receivedAt: string;
    handledAt: string;
  };
  reportMail: {
    alertId: bigint;
    subject: string;
    html: string;
    csvName: Optional<string>;
    csv: Optional<string>;
  };
  run: {
    id: Generated<bigint>;
    command: string;
    target: string;
    mode: string;
    dryRun: 0n | 1n;
    state: 'running' | 'done' | 'stopped' | 'failed' | 'refused' | 'died';
    startedAt: string;
    endedAt: Optional<string>;
    accounts: Generated<bigint>;
    rowsRead: Generated<bigint>;
    budgetChanges: Generated<bigint>;
    messagesSent: Generated<bigint>;
    failures: Generated<bigint>;
    error: Optional<string>;
    operations: Generated<bigint>;
    recordHead: Optional<string>;
    recordProven: Optional<'new' | 'whole'>;
    bounds: Optional<string>;
    targetKind: 'sandbox' | 'live';
    notes: Optional<string>;
  };
  runAccount: {
    runId: bigint;
    customerId: CustomerId;
    state: 'read' | 'stopped' | 'failed' | 'left_out' | 'not_reached';
    reason: Optional<string>;
    code: Optional<'nothing_to_read'>;
  };
  runDecision: {
    runId: bigint;
    eventId: bigint;
  };
  runPacing: {
    runId: bigint;
    place: bigint;
    rule: string;
    subject: string;
    currency: Optional<string>;
    state: string;
    targetMicros: Optional<string>;
    spentMicros: Optional<string>;
    idealToDateMicros: Optional<string>;
    projectedMicros: Optional<string>;
    budgetMicros: Optional<string>;
    shouldBeMicros: Optional<string>;
    covers: Optional<string>;
    customerId: Optional<CustomerId>;
    dateFrom: Optional<CivilDate>;
    dateTo: Optional<CivilDate>;
    unsettledMicros: Optional<string>;
    mode: Optional<string>;
    members: Optional<string>;
    rates: Optional<string>;
    reason: Optional<string>;
  };
  runPacingDay: {
    runId: bigint;
    place: bigint;
    date: CivilDate;
    idealMicros: string;
    costMicros: Optional<string>;
  };
  savedQuestion: {
    id: Generated<bigint>;
    name: string;
    sentence: string;
    query: string;
    chart: string;
    savedBy: string;
    savedAt: string;
    renamedBy: Optional<string>;
    renamedAt: Optional<string>;
  };
  silence: {
    id: Generated<bigint>;
    customerId: Optional<CustomerId>;
    rule: Optional<string>;
    severity: Optional<'info' | 'warning' | 'critical'>;
    createdBy: string;
    why: string;
    createdAt: string;
    expiresAt: string;
    endedBy: Optional<string>;
    endedAt: Optional<string>;
  };
  slice: {
    id: Generated<bigint>;
    runId: bigint;
    query: string;
    queryText: string;
    customerId: CustomerId;
    dateFrom: Optional<CivilDate>;
    dateTo: Optional<CivilDate>;
    expected: Generated<0n | 1n>;
    state: 'planned' | 'done' | 'failed' | 'cut' | 'not_offered';
    rows: Generated<bigint>;
    bytes: Generated<bigint>;
    requestId: Optional<string>;
    error: Optional<string>;
    startedAt: Optional<string>;
    endedAt: Optional<string>;
  };
  suspectedChange: {
    customerId: CustomerId;
    budgetId: BudgetId;
    accountDay: CivilDate;
    expectedMicros: Micros;
    foundMicros: Micros;
    seenAt: string;
  };
  target: {
    id: bigint;
    identity: string;
    kind: 'sandbox' | 'live';
  };
  unpublishedDay: {
    id: Generated<bigint>;
    query: string;
    customerId: CustomerId;
    date: string;
  };
}
