import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { micros } from '../../src/domain/micros.ts';
import type { CrashPoint } from '../../src/engine/budgets/budget-deps.ts';
import { approveProposal, rejectProposal, undoIntent } from '../../src/engine/budgets/personal-change.ts';
import type { Fault } from '../../src/sandbox/fault-modes.ts';
import { intentById } from '../../src/storage/records/budgets/intent-table.ts';
import { insertProposal, openProposals } from '../../src/storage/records/budgets/proposal-table.ts';
import { EUR } from '../sandbox/sandbox-client.ts';
import { cut, onChange, onReading, onValidation, type SendPath, saying } from './send-path.ts';

/** A way through the send path that a process may die on, at any place of `act`. */
export interface Walk {
  readonly name: string;
  /** What came before, and went well. */
  readonly prepare?: (path: SendPath) => Promise<unknown>;
  readonly act: (path: SendPath) => Promise<unknown>;
  /** How the service misbehaves during `act`. */
  readonly fault?: (path: SendPath) => SendPath['fault'];
  /** What happens meanwhile. */
  readonly at?: (path: SendPath, point: CrashPoint) => void;
}

const ANNA = { by: 'anna', why: 'asked for' };
const FOREIGN = 77_000_000n;
const errorCode = { campaignBudgetError: 'CAMPAIGN_BUDGET_REMOVED' };

const freezeFile = (path: SendPath) => join(path.folder, 'FREEZE');
const change = (path: SendPath) => path.change(3);
const settle = (path: SendPath) => path.settle();
const always = (fault: SendPath['fault']) => () => fault;

function setByHand(path: SendPath): void {
  path.sandbox.setBudget(EUR, path.budgets[0]?.budgetId ?? '', micros(FOREIGN));
}

/** A change of three budgets that is unknown: made (`reset_after`) or not. */
const lose = (fault: Fault) => async (path: SendPath) => {
  path.fault = onChange(fault);
  await path.change(3);
  path.fault = undefined;
};

/** The service refuses the change of the second of three budgets. */
async function refuseSecond(path: SendPath): Promise<void> {
  path.fault = onChange({ kind: 'refuse_operations', indexes: [1], errorCode });
  await path.change(3);
  path.fault = undefined;
}

/** The same, by a process that died between sending and answer. */
async function die(path: SendPath): Promise<void> {
  path.passes = (point) => {
    if (point === 'mutate:after-answer') throw new Error('died');
  };
  await path.change(3).catch(() => undefined);
  await path.restart();
}

async function undo(path: SendPath): Promise<void> {
  const intent = await intentById(path.state.db, 1n);
  if (intent) await undoIntent(path.deps, intent, ANNA, path.today, async () => undefined);
}

async function propose(path: SendPath): Promise<void> {
  const [budget] = path.budgets;
  if (!budget) throw new Error('No budget.');
  const { kind: _kind, undoes: _undoes, actor: _actor, ...decided } = cut(budget, path.today());
  const expiresAtMs = path.clock.now() + 3_600_000;
  await insertProposal(path.state.db, undefined, { ...decided, expiresAtMs }, path.clock.now());
}

const codeOf = async (path: SendPath) => (await openProposals(path.state.db, path.clock.now()))[0]?.code ?? '';
const approve = async (path: SendPath) =>
  approveProposal(path.deps, await codeOf(path), ANNA, path.today, async () => undefined);

/** A fault of the first so many validations, at each of which something happens. */
function firstValidations(count: number, then: () => void): SendPath['fault'] {
  let times = 0;
  return (request) => {
    if (request.kind !== 'mutate' || !request.validateOnly || times++ >= count) return undefined;
    then();
    return { kind: 'status', status: 503 };
  };
}

export const WALKS: readonly Walk[] = [
  { name: 'a batch of three is changed', act: change },
  {
    name: 'one of three is refused by the validation, another by the change',
    act: change,
    fault: always((request) =>
      request.kind === 'mutate'
        ? { kind: 'refuse_operations', indexes: [request.validateOnly ? 0 : 1], errorCode }
        : undefined,
    ),
  },
  {
    name: 'the validation cannot be reached, and the next run gives up',
    act: async (path) => [await change(path), await settle(path)],
    fault: always(onValidation({ kind: 'status', status: 503 })),
  },
  {
    name: 'the quota is used up, and the next run gives up',
    act: async (path) => [await change(path), await settle(path)],
    fault: always(onChange(saying(429))),
  },
  {
    name: 'budgets are frozen after the validation, and decided again when unfrozen',
    act: async (path) => {
      await change(path);
      rmSync(freezeFile(path), { force: true });
      await change(path);
    },
    at: (path, point) => {
      const first = path.rows("SELECT id FROM budget_event WHERE kind = 'expired'").length === 0;
      if (point === 'validated:after-commit' && first) writeFileSync(freezeFile(path), '');
    },
  },
  {
    name: 'budgets are frozen between the commit of `sending` and the request',
    act: change,
    at: (path, point) => {
      if (point === 'sending:after-commit') writeFileSync(freezeFile(path), '');
    },
  },
  {
    name: 'someone else changes a budget before the change',
    prepare: async (path) => {
      path.passes = (point) => {
        if (point === 'plan:after-commit') throw new Error('stop');
      };
      await path.plan(3).catch(() => undefined);
      setByHand(path);
    },
    act: async (path) => path.apply(await path.intents()),
  },
  {
    name: 'someone else changes a budget while the validation is retried',
    act: change,
    fault: (path) => firstValidations(2, () => setByHand(path)),
  },
  {
    name: 'the budgets become unreadable while the validation is retried',
    act: change,
    fault: () => {
      let away = false;
      const validation = firstValidations(2, () => {
        away = true;
      });
      return (request) =>
        validation?.(request) ?? (away ? onReading({ kind: 'status', status: 503 })(request) : undefined);
    },
  },
  {
    name: 'a change that the service refused is proven not made, when a person undoes another',
    prepare: async (path) => refuseSecond(path),
    act: undo,
  },
  {
    name: 'a change that the service refused is found made, when a person undoes another',
    prepare: async (path) => {
      await refuseSecond(path);
      const [, second] = path.operations();
      if (!second) throw new Error('Nothing was sent.');
      path.sandbox.setBudget(EUR, second.budgetId, micros(second.amount));
      second.made = true;
    },
    act: undo,
  },
  { name: 'the answer is lost', act: change, fault: always(onChange({ kind: 'reset_after' })) },
  { name: 'the request is lost', act: change, fault: always(onChange({ kind: 'reset_before' })) },
  { name: 'a change with a lost answer is found made', prepare: lose({ kind: 'reset_after' }), act: settle },
  { name: 'a lost request is sent again', prepare: lose({ kind: 'reset_before' }), act: settle },
  {
    name: 'a lost request is sent again and lost again',
    prepare: lose({ kind: 'reset_before' }),
    act: settle,
    fault: always(onChange({ kind: 'reset_before' })),
  },
  {
    name: 'a lost answer cannot be read back',
    prepare: lose({ kind: 'reset_after' }),
    act: settle,
    fault: always(onReading({ kind: 'status', status: 503 })),
  },
  {
    name: 'someone else changes a budget after a lost request',
    prepare: async (path) => {
      await lose({ kind: 'reset_before' })(path);
      setByHand(path);
    },
    act: settle,
  },
  {
    name: 'a lost request is refused when sent again',
    prepare: lose({ kind: 'reset_before' }),
    act: settle,
    fault: always(onValidation(saying(400))),
  },
  { name: 'a second process follows one that died between sending and answer', prepare: die, act: settle },
  { name: 'a person undoes a change', prepare: (path) => path.change(1), act: undo },
  {
    name: 'a person undoes a change, and the answer is lost',
    prepare: (path) => path.change(1),
    act: async (path) => [await undo(path), await settle(path)],
    fault: always(onChange({ kind: 'reset_after' })),
  },
  { name: 'a person approves a proposal', prepare: propose, act: approve },
  {
    name: 'a person approves a proposal, and the request is lost',
    prepare: propose,
    act: async (path) => [await approve(path), await settle(path)],
    fault: always(onChange({ kind: 'reset_before' })),
  },
  {
    name: 'a person rejects a proposal',
    prepare: propose,
    act: async (path) => rejectProposal(path.deps, await codeOf(path), ANNA),
  },
  {
    name: 'a person approves a proposal whose budget someone else has changed',
    prepare: async (path) => {
      await propose(path);
      setByHand(path);
    },
    act: approve,
  },
];
