import type { AlertSeverity } from '../../domain/channel.ts';
import type { DayState } from '../../domain/complete-days.ts';
import type { OutboxState } from '../records/alerts/outbox-list.ts';
import type { IntentState, ProposalState } from '../records/schema.ts';

/** The colour of a state on a page. The word alone must be clear without colour. */
export type Tone = 'good' | 'bad' | 'waits' | 'plain';

export type StateWord = readonly [word: string, tone: Tone];

type StateWords<State extends string> = Readonly<Record<State, StateWord>>;

type RunState = 'running' | 'done' | 'stopped' | 'failed' | 'refused' | 'died';

export const RUN_WORDS: StateWords<RunState> = {
  running: ['running', 'waits'],
  done: ['done', 'good'],
  stopped: ['stopped', 'waits'],
  failed: ['failed', 'bad'],
  refused: ['refused', 'bad'],
  died: ['died', 'bad'],
};

export const ACCOUNT_WORDS: StateWords<'read' | 'failed' | 'left_out' | 'not_reached' | 'not_read' | 'stopped'> = {
  read: ['read', 'good'],
  failed: ['failed', 'bad'],
  left_out: ['left out', 'plain'],
  not_reached: ['not reached', 'bad'],
  not_read: ['not read', 'plain'],
  stopped: ['stopped', 'waits'],
};

export const TICK_WORDS: StateWords<'waiting' | 'running' | 'done' | 'failed' | 'stopped' | 'missed' | 'died'> = {
  waiting: ['waiting', 'waits'],
  running: ['running', 'waits'],
  done: ['done', 'good'],
  failed: ['failed', 'bad'],
  stopped: ['stopped', 'waits'],
  missed: ['missed', 'plain'],
  died: ['died', 'bad'],
};

export const TEST_WORDS: StateWords<'passed' | 'failed' | 'unknown'> = {
  passed: ['passed', 'good'],
  failed: ['failed', 'bad'],
  unknown: ['could not run', 'bad'],
};

export const CHANGE_WORDS: StateWords<IntentState> = {
  planned: ['planned', 'waits'],
  validated: ['planned', 'waits'],
  sending: ['being sent', 'waits'],
  applied: ['changed', 'good'],
  confirmed: ['confirmed', 'good'],
  rejected: ['rejected', 'bad'],
  unknown: ['outcome unknown', 'bad'],
  superseded: ['superseded', 'plain'],
  expired: ['not sent', 'plain'],
};

export const PROPOSAL_WORDS: StateWords<ProposalState> = {
  open: ['awaiting approval', 'waits'],
  approved: ['approved', 'good'],
  rejected: ['rejected', 'plain'],
  expired: ['expired', 'plain'],
  superseded: ['superseded', 'plain'],
};

export const MESSAGE_WORDS: StateWords<OutboxState> = {
  pending: ['waiting', 'waits'],
  sending: ['being sent', 'waits'],
  accepted: ['sent', 'good'],
  delivered: ['delivered', 'good'],
  failed: ['not delivered', 'bad'],
  unknown: ['in doubt', 'bad'],
  withdrawn: ['not sent', 'plain'],
};

export const SEVERITY_WORDS: StateWords<AlertSeverity> = {
  info: ['info', 'plain'],
  warning: ['warning', 'waits'],
  critical: ['critical', 'bad'],
};

export const REFUSED: StateWord = ['refused', 'waits'];

/** A refusal answers the person who asked. It is no failed run. */
export function isRefusedAct({ command, state }: { readonly command: string; readonly state: RunState }): boolean {
  return state === 'refused' && command !== 'report' && command !== 'extract';
}

export function runWord(run: Parameters<typeof isRefusedAct>[0]): StateWord {
  return isRefusedAct(run) ? REFUSED : RUN_WORDS[run.state];
}

/** For a change in mode `propose`, which only suggests changes. */
export const SUGGESTED: StateWord = ['suggested', 'plain'];

export function awaiting(changes: number): string {
  return `${changes.toLocaleString('en-US')} ${changes === 1 ? 'change awaits' : 'changes await'} approval`;
}

export const DAY_MARKS: Readonly<Record<DayState, readonly [mark: string, words: string]>> = {
  settled: ['#', 'complete'],
  provisional: ['o', 'provisional: read before it was complete'],
  missing: ['.', 'missing: not read'],
  other_question: ['-', 'outdated: read before its query changed'],
};
