import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withApp } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import { replaceText } from '../../files/replace-file.ts';
import { didYouMean } from '../../gaql/check/suggest.ts';
import type { Inputs } from '../../jobs/load-inputs.ts';
import { isPacing, showPacing } from '../../jobs/pacing.ts';
import { redactTexts } from '../../jobs/redact-texts.ts';
import type { PacingResult } from '../../report/pacing-result.ts';
import type { Rule } from '../../rules/rule.ts';
import { createClock, systemPauses } from '../../system-time.ts';
import { PACING } from '../../views/pacing.ts';
import { type ChoiceOptions, chooseInputs } from '../choose-inputs.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import type { Output } from '../output.ts';
import { EXIT } from '../print-error.ts';
import type { ListingFormat } from '../print-listing.ts';
import type { Process } from '../process.ts';
import { listingIn } from '../show-listing.ts';
import { tellBusy } from '../tell-busy.ts';

export interface PacingCommandOptions extends CommonOptions, Pick<ChoiceOptions, 'param'> {
  readonly rule?: string;
  readonly customer?: readonly CustomerId[];
  readonly campaign?: CampaignId;
  readonly format: ListingFormat | 'html';
}

/** The pacing command. Answers with the exit code. */
export async function runPacing(options: PacingCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const inputs = await chooseInputs(settings, options, clock, output);
  const rule = options.rule === undefined ? undefined : pacingRule(options.rule, inputs.rules);
  const log = await openLog(output, settings, clock);
  const scope = { customers: options.customer ?? [], campaign: options.campaign, rule };
  const outcome = await withApp(
    settings,
    { clock, pauses: systemPauses, log, looksOnly: true },
    'pacekeeper pacing',
    (app) => showPacing(app, inputs, scope),
  );
  if (outcome.kind === 'busy') return tellBusy(output, settings, outcome.holder);
  const { value } = outcome;
  const { format } = options;
  // Rows and pages have no place for what failed, and it must be read all the same.
  if (format !== 'table' && format !== 'json') for (const failure of value.failures) log.warn(failure);
  if (format === 'html') await printPage(value, settings, output);
  else {
    output.stdout.write(listingIn(format, PACING, value, output));
    // A rule to begin with is pasted as it is.
    if (format === 'table' && value.example !== undefined) output.stdout.write(`\n${value.example}`);
  }
  return value.failures.length === 0 ? EXIT.done : EXIT.failed;
}

/** A page is for a file or a pipe; on a terminal it is put beside the report, and its path is told. */
async function printPage(result: PacingResult, settings: Settings, { stdout }: Output): Promise<void> {
  // What draws charts takes longer to load than the rest.
  const { pacingDocument } = await import('../../page/pacing-page.ts');
  const page = pacingDocument(redactTexts(result, settings));
  if (stdout.isTTY !== true) {
    stdout.write(page);
    return;
  }
  const { data } = settings.paths;
  const path = join(data, 'pacing.html');
  mkdirSync(data, { recursive: true, mode: 0o755 });
  replaceText(path, () => page);
  stdout.write(`${path}\n`);
}

function pacingRule(name: string, rules: Inputs['rules']): Rule {
  const rule = rules.find((one) => one.name === name);
  const pacing = rules.filter(isPacing).map((one) => one.name);
  const those = pacing.length === 0 ? 'no rule does' : `those that do are ${pacing.join(', ')}`;
  if (rule === undefined) {
    const names = rules.map((one) => one.name);
    throw new InputError(`There is no rule ${name}; there are ${names.join(', ') || 'none'}.`, {
      nextStep:
        didYouMean(name, names) ?? 'Name a rule file without its ending: pacekeeper pacing --rule month-pacing.',
    });
  }
  if (isPacing(rule)) return rule;
  throw new InputError(`The rule ${name} paces no budget to a target of the month; ${those}.`, {
    nextStep: `pacekeeper rules explain ${name} shows what it says. A rule paces with "change: pace budget to 3000 per month".`,
  });
}
