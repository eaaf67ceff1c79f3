import type { Command } from 'commander';
import {
  addCommonOptions,
  campaignOption,
  customerOption,
  formatOption,
  listingFormatOption,
  wholeNumberOption,
} from '../common-options.ts';
import { examples } from '../examples.ts';
import { addPersonOptions } from '../person.ts';
import type { Process } from '../process.ts';
import type { ActCommandOptions } from './run-act.ts';
import type { ShowCommandOptions } from './run-show.ts';

const HISTORY_SHOWN = 50;

/** What a person does about budget changes: looks, approves, takes back. */
export function addBudgetsCommand(program: Command, process: Process): void {
  const budgets = program
    .command('budgets')
    .description('Look at budget changes, approve them, take them back.')
    .addHelpText(
      'after',
      examples(['pacekeeper budgets list', 'pacekeeper budgets approve K7PX --why "agreed with the client"']),
    );
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
    .description('Show the changes that await approval, and those whose outcome is not known.')
    .addHelpText(
      'after',
      examples([
        'pacekeeper budgets list',
        'pacekeeper budgets list --all --customer 123-456-7890 --format csv > proposals.csv',
      ]),
    )
    .option('--all', 'also those that were approved, rejected or have expired')
    .option('--customer <id...>', 'only these accounts', customerOption)
    .addOption(listingFormatOption())
    .action(show('list'));
  addCommonOptions(budgets.command('show <reference>'))
    .description('Show one proposal (by its code) or change (by its number, B12) with everything that happened to it.')
    .addHelpText('after', examples(['pacekeeper budgets show K7PX', 'pacekeeper budgets show B12 --format json']))
    .addOption(formatOption())
    .action((reference: string, options: Omit<ShowCommandOptions, 'what'>) => show('one')({ ...options, reference }));
  addCommonOptions(budgets.command('history'))
    .description('Show the budget changes of the past, newest first: who changed what, when and why.')
    .addHelpText(
      'after',
      examples([
        'pacekeeper budgets history --campaign 17204104729',
        'pacekeeper budgets history --limit 1000 --format csv > changes.csv',
      ]),
    )
    .option('--campaign <id>', 'only the budget of this campaign', campaignOption)
    .option('--customer <id...>', 'only these accounts', customerOption)
    .option('--limit <number>', 'how many', wholeNumberOption(1, 1_000_000), HISTORY_SHOWN)
    .addOption(listingFormatOption())
    .action(show('history'));
  addPersonOptions(addCommonOptions(budgets.command('approve <code>')), 'optional')
    .description('Make a change that awaits approval, if the budget still has the amount it was decided on.')
    .addOption(formatOption())
    .addHelpText('after', APPROVE_EXAMPLE)
    .action(act('approve'));
  addPersonOptions(addCommonOptions(budgets.command('reject <code>')), 'optional')
    .description('Refuse a change that awaits approval.')
    .addHelpText(
      'after',
      examples([
        'pacekeeper budgets reject K7PX',
        'pacekeeper budgets reject K7PX --by anna --why "the sale ends tomorrow"',
      ]),
    )
    .addOption(formatOption())
    .action(act('reject'));
  addPersonOptions(addCommonOptions(budgets.command('undo <id>')), 'optional')
    .description('Set a budget back to what it was before a change, if nothing else has changed it since.')
    .option('--beyond-limits', "also beyond floor, ceiling and the account's bounds; needs --by")
    .option('--despite-freeze', 'also while budgets are frozen; the record says so')
    .addOption(formatOption())
    .addHelpText('after', UNDO_EXAMPLE)
    .action(act('undo'));
  addCommonOptions(budgets.command('reconcile'))
    .description('Find out what became of changes whose outcome is not known, without waiting for the next report.')
    .addHelpText('after', examples(['pacekeeper budgets reconcile', 'pacekeeper budgets reconcile --format json']))
    .addOption(formatOption())
    .action(act('reconcile'));
}

const APPROVE_EXAMPLE = examples([
  'pacekeeper budgets approve K7PX',
  'pacekeeper budgets approve K7PX --by anna --why "agreed with the client"',
]);

const UNDO_EXAMPLE = examples(
  [
    'pacekeeper budgets undo B12 --why "sale ends later"',
    'pacekeeper budgets undo B12 --despite-freeze --by anna --why "it did damage"',
  ],
  `It is not held back by the cooldown, the mode or the change of the day, but by a
freeze, by any later change, and by limits: the floor and the ceiling that the
change was made within, daily_total and daily_exposure of the account.`,
);
