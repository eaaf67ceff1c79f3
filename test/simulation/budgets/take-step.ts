import { undoChange } from '../../../src/commands/budgets/run-budgets.ts';
import { approveProposal, rejectProposal } from '../../../src/engine/change/approve-proposal.ts';
import { reconcileBudgets } from '../../../src/engine/change/change-budgets.ts';
import { rulesByName } from '../../../src/engine/load-inputs.ts';
import { report } from '../../../src/engine/report.ts';
import type { ReportResult } from '../../../src/language/results/report-result.ts';
import type { Mode, Rule } from '../../../src/language/rules/rule.ts';
import { endState } from '../../../src/views/report/decision-words.ts';
import { nextMidnightMs } from '../account-calendar.ts';
import { type HistoryWorld, pickOf } from './history-world.ts';
import { boundsOf, type RuleSpec, ruleOf } from './rule-specs.ts';
import { CUSTOMERS } from './service.ts';
import { type ByHand, NO_TROUBLE, type Step, type Trouble } from './steps.ts';

const MINUTE_MS = 60_000;
const ANNA = { by: 'anna', why: 'she said so' };

/** What a history remembers from one step to the next: what `pacekeeper.yaml` and the rules folder hold. */
export interface Standing {
  mode: Mode;
  rules: readonly RuleSpec[];
}

/** Lets one step happen, and says in words what came of it. */
export async function takeStep(world: HistoryWorld, standing: Standing, step: Step): Promise<string> {
  const { clock } = world.service;
  const rulesNow = async () => rulesByName(rulesOf(world, standing));
  switch (step.kind) {
    case 'report':
      Object.assign(standing, { mode: step.mode, rules: step.rules });
      return runReport(world, standing, step.trouble);
    case 'reconcile':
      return words(await world.run('report', standing.mode, step.trouble, (app) => reconcileBudgets(app, rulesNow)));
    case 'approve': {
      const code = pickOf(openProposals(world), step.pick);
      if (code === undefined) return 'nothing to approve';
      return words(
        await world.run('other', standing.mode, step.trouble, (app) => approveProposal(app, code, ANNA, rulesNow)),
      );
    }
    case 'reject': {
      const code = pickOf(openProposals(world), step.pick);
      if (code === undefined) return 'nothing to reject';
      return words(await world.run('other', standing.mode, NO_TROUBLE, (app) => rejectProposal(app, code, ANNA)));
    }
    case 'undo': {
      const id = pickOf(intents(world), step.pick)?.id;
      if (id === undefined) return 'nothing to undo';
      return words(await world.run('other', standing.mode, step.trouble, (app) => undoChange(app, id, ANNA)));
    }
    case 'foreign':
      return changeByHand(world, step.pick, step.to);
    case 'remove': {
      const [customer, budget] = pickOf(world.budgets, step.pick) ?? ['', ''];
      // Most budgets stay: a history in which all are gone says nothing.
      if (step.pick > 4) return 'nothing removed';
      world.service.sandbox.removeBudget(customer, budget);
      return `${customer}/${budget} removed`;
    }
    case 'freeze':
      await world.freeze(step.how);
      return 'frozen';
    case 'unfreeze':
      await world.unfreeze();
      return 'unfrozen';
    case 'wait':
      return moveTo(world, clock.now() + step.minutes * MINUTE_MS);
    case 'midnight': {
      const midnight = nextMidnightMs(clock.now(), world.timeZoneOf(CUSTOMERS[0]));
      return moveTo(world, Math.max(clock.now(), midnight + step.minutes * MINUTE_MS));
    }
  }
}

function rulesOf(world: HistoryWorld, { rules }: Standing): Rule[] {
  return rules.map((spec, index) => {
    const rule = ruleOf(`rule-${index + 1}`, spec, world.service.query);
    world.bounds.set(`${rule.name}@${rule.version}`, boundsOf(spec));
    return rule;
  });
}

export async function runReport(world: HistoryWorld, standing: Standing, trouble: Trouble): Promise<string> {
  const { query } = world.service;
  const { mode } = standing;
  const rules = rulesOf(world, standing);
  const inputs = { queries: [query], rules, findings: [] };
  const options = { customers: [], dryRun: false, noExtract: true };
  const events = lastEvent(world);
  const end = await world.run('report', mode, trouble, (app) => report(app, inputs, options));
  if (end.value === undefined) return words(end);
  const { failures, decisions, settled } = end.value;
  const failed = failures.filter((failure) => !failure.startsWith('warehouse.sqlite could not be published'));
  // What an earlier process died at has no answer in this one, and was that one's failure.
  const bad = world.rows<{ kind: string }>(
    `SELECT kind FROM budget_event WHERE id > ${events} AND (kind = 'rejected' OR
      (kind = 'unknown' AND detail -> 'answer' IS NOT NULL))`,
  );
  if (bad.length > 0 && failed.length === 0) {
    world.watcher.violations.push(`a change was ${bad[0]?.kind}, and the run has no failure`);
  }
  return [...settled, ...decisions]
    .map((one) => (one.code === undefined ? endState(one) : `${endState(one)} ${one.code}`))
    .join(', ');
}

function words({ value, crashed, refusal }: Awaited<ReturnType<HistoryWorld['run']>>): string {
  if (crashed) return 'crashed';
  if (refusal !== undefined) return refusal;
  const { settled = [], decisions = [] } = value as Partial<Pick<ReportResult, 'settled' | 'decisions'>>;
  return [...settled, ...decisions].map(endState).join(', ') || 'done';
}

function moveTo(world: HistoryWorld, instantMs: number): string {
  const instant = new Date(instantMs).toISOString();
  world.service.clock.set(instant);
  return instant;
}

function changeByHand(world: HistoryWorld, pick: number, to: ByHand): string {
  const [customer, budget] = pickOf(world.budgets, pick) ?? ['', ''];
  const last = intents(world).findLast((one) => one.budget === `${customer}/${budget}`);
  const live = world.amount(customer, budget);
  const unit = customer === CUSTOMERS[0] ? 10_000n : 1_000_000n;
  const amounts: Readonly<Record<ByHand, bigint | undefined>> = {
    other: live + 123n * unit,
    low: live > 300n * unit ? (live / 3n / unit) * unit : undefined,
    high: live * 3n,
    old: last?.from,
    target: last?.to,
  };
  const amount = amounts[to] ?? live + 123n * unit;
  world.setByHand(customer, budget, amount);
  return `${customer}/${budget} from ${live} to ${amount} by hand`;
}

function openProposals(world: HistoryWorld): string[] {
  return world
    .rows<{ code: string }>("SELECT code FROM budget_proposal WHERE state = 'open' ORDER BY created_at, budget_id")
    .map(({ code }) => code);
}

function intents(world: HistoryWorld) {
  return world.rows<{ id: bigint; budget: string; from: bigint; to: bigint }>(
    `SELECT id, customer_id || '/' || budget_id AS budget, from_micros AS "from", to_micros AS "to"
    FROM budget_intent ORDER BY id`,
  );
}

function lastEvent(world: HistoryWorld): bigint {
  return world.rows<{ id: bigint }>('SELECT coalesce(max(id), 0) AS id FROM budget_event')[0]?.id ?? 0n;
}
