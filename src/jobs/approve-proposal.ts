import type { App, StateApp } from '../app.ts';
import { approveProposal as approve, rejectProposal as reject } from '../budgets/approve.ts';
import { passesEverywhere } from '../budgets/crash-points.ts';
import { InputError } from '../domain/errors.ts';
import type { ShownProposal } from '../report/render-budgets.ts';
import type { ReportResult } from '../report/report-result.ts';
import { guardFixedAmount } from '../rules/guard-fixed-amount.ts';
import { type Proposal, proposalByCode } from '../store/proposal-table.ts';
import { accountFacts } from './account-facts.ts';
import { type Actor, actOnBudget } from './act-on-budget.ts';
import { answerRejected } from './answer-decided.ts';
import { publishAfterwards } from './publish-files.ts';

/** Makes the proposed change now. Throws `InputError` for a code that there is not. */
export async function approveProposal(app: App, code: string, { by, why, reply }: Actor): Promise<ReportResult> {
  const proposal = await proposalNamed(app, code);
  return actOnBudget(
    app,
    'budgets approve',
    { change: proposal, origin: undefined },
    ({ runId, deps, account, today }) =>
      approve(deps, proposal.code, { by, why: why ?? '', reply, runId }, today, async (wanted, book) => {
        const about = {
          customerId: account.customerId,
          currency: account.currency,
          timeZone: account.timeZone,
          today: today(),
          since: today(),
          rules: [],
          elsewhere: [],
          dryRun: false,
        };
        const facts = await accountFacts(app, book, about);
        const guarded = guardFixedAmount(wanted, facts);
        return guarded.kind === 'refused' ? guarded : undefined;
      }),
  );
}

export interface Rejection {
  readonly proposal: ShownProposal;
  readonly sentence: string;
  /** Why it could not be published, one sentence. The proposal is rejected all the same. */
  readonly failure: string | undefined;
}

/** Ends a proposal without a change. Throws `InputError` for a code that there is not, or that waits no more. */
export async function rejectProposal(app: StateApp, code: string, { by, why, reply }: Actor): Promise<Rejection> {
  const { code: known } = await proposalNamed(app, code);
  const person = { by, why: why ?? 'no reason given', reply };
  const result = await reject({ ...app, passes: app.passes ?? passesEverywhere }, known, person);
  if (result.kind === 'refused') throw new InputError(result.reason, { nextStep: LIST });
  const { proposal } = result;
  const sentence = `Proposal ${await answerRejected(app, proposal)}`;
  return { proposal: { ...proposal, why: person.why, reply }, sentence, failure: await publishAfterwards(app) };
}

const LIST = 'pacekeeper budgets list shows the proposals that wait.';

async function proposalNamed({ state }: Pick<StateApp, 'state'>, code: string): Promise<Proposal> {
  const proposal = await proposalByCode(state.db, code);
  if (proposal) return proposal;
  throw new InputError(`There is no proposal ${JSON.stringify(code)}.`, { nextStep: LIST });
}
