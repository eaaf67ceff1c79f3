import type { Command } from 'commander';
import {
  addCommonOptions,
  campaignOption,
  customerOption,
  formatOption,
  wholeNumberOption,
} from '../common-options.ts';
import { addPersonOptions } from '../person.ts';
import type { Process } from '../process.ts';
import type { ActCommandOptions } from './run-act.ts';
import type { ShowCommandOptions } from './run-show.ts';

const HISTORY_SHOWN = 50;

/** What a person does about budget changes: looks, approves, takes back. */
export function addBudgetsCommand(program: Command, process: Process): void {
  const budgets = program.command('budgets').description('Look at budget changes, approve them, take them back.');
  const show = (what: ShowCommandOptions['what']) => async (options: Omit<ShowCommandOptions, 'what'>) => {
    const { runShow } = await import('./run-show.ts');
    process.exit(await runShow({ ...options, what }, process));
  };
  const act = (action: ActCommandOptions['action']) => async (first: string | object, second?: object) => {
    const [reference, options] = typeof first === 'string' ? [first, second] : ['', first];
    const { runAct } = await import('./run-act.ts');
    process.exit(
      await runAct({ ...(options as Omit<ActCommandOptions, 'action' | 'reference'>), action, reference }, process),
    );
  };

  addCommonOptions(budgets.command('list'))
    .description('Show what waits: proposals for a person, and changes whose outcome is not known.')
    .option('--all', 'also the proposals that were decided on or have expired')
    .option('--customer <id...>', 'only these accounts', customerOption)
    .addOption(formatOption())
    .action(show('list'));
  addCommonOptions(budgets.command('show <reference>'))
    .description('Show one proposal (by its code) or change (by its number, B12) with everything that happened to it.')
    .addOption(formatOption())
    .action((reference: string, options: Omit<ShowCommandOptions, 'what'>) => show('one')({ ...options, reference }));
  addCommonOptions(budgets.command('history'))
    .description('Show the budget changes of the past, newest first: who changed what, when and why.')
    .option('--campaign <id>', 'only the budget of this campaign', campaignOption)
    .option('--customer <id...>', 'only these accounts', customerOption)
    .option('--limit <number>', 'how many', wholeNumberOption(1, 1_000_000), HISTORY_SHOWN)
    .addOption(formatOption())
    .action(show('history'));
  addPersonOptions(addCommonOptions(budgets.command('approve <code>')), 'optional')
    .description('Make a proposed change now, if the budget still has the amount the proposal was made on.')
    .addOption(formatOption())
    .addHelpText('after', APPROVE_EXAMPLE)
    .action(act('approve'));
  addPersonOptions(addCommonOptions(budgets.command('reject <code>')), 'optional')
    .description('Refuse a proposed change.')
    .addOption(formatOption())
    .action(act('reject'));
  addPersonOptions(addCommonOptions(budgets.command('undo <id>')), 'optional')
    .description('Set a budget back to what it was before a change, if nothing else has changed it since.')
    .addOption(formatOption())
    .addHelpText('after', UNDO_EXAMPLE)
    .action(act('undo'));
  addCommonOptions(budgets.command('reconcile'))
    .description('Find out what became of changes whose outcome is not known, without waiting for the next report.')
    .addOption(formatOption())
    .action(act('reconcile'));
}

const APPROVE_EXAMPLE = `
Example:
  $ pacekeeper budgets list
  $ pacekeeper budgets approve K7PX --why "agreed with the client"`;

const UNDO_EXAMPLE = `
It is not held back by the cooldown, the mode or the change of the day, but by a
freeze, by the floor and the ceiling the change was made within, and by any
later change.

Example:
  $ pacekeeper budgets history
  $ pacekeeper budgets undo B12 --why "sale ends later"`;
