import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import { isPacing, showPacing } from '../../engine/evaluate/pacing.ts';
import type { Inputs } from '../../engine/load-inputs.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import type { PacingResult } from '../../language/results/report-result.ts';
import { replaceText } from '../../storage/files/replace-file.ts';
import { PACING } from '../../views/pacing.ts';
import { chartedTargets, paceChart, targetChart } from '../../views/pacing-chart.ts';
import { chooseInputs, ruleNamed } from '../cli/choose-inputs.ts';
import type { CommandApp } from '../cli/command.ts';
import type { Output } from '../cli/output.ts';
import { EXIT } from '../cli/print-error.ts';
import { listingIn, printCharts } from '../cli/print-listing.ts';
import type { PacingOptions } from './pacing-command.ts';

export async function runPacing(app: CommandApp<'all'>, options: PacingOptions): Promise<number> {
  const { settings, output } = app;
  const { customer: customers = [], campaign, format } = options;
  const inputs = await chooseInputs(app, options);
  const { rule: name } = options;
  if (name !== undefined) requirePacing(name, inputs);
  const result = await app.open((opened) => showPacing(opened, inputs, { customers, campaign, name }));
  if (format !== 'table' && format !== 'json') for (const failure of result.failures) app.log.warn(failure);
  if (format === 'html') await printPage(result, settings, output);
  else output.stdout.write(listingIn(format, PACING, result, output));
  if (format === 'table') {
    if (result.example !== undefined) output.stdout.write(`\n${result.example}`);
    await printCharts(output, chartedTargets(result.targets), paceChart);
  }
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}

async function printPage(result: PacingResult, settings: Settings, { stdout }: Output): Promise<void> {
  const { listingPage } = await import('../../views/kit/page.ts');
  const shown = redactTexts(result, settings);
  const page = listingPage(PACING, shown, {
    title: 'Pacing: targets',
    description: 'Each target: spent, ideal, projected, the budgets it needs, and the reason.',
    charts: chartedTargets(shown.targets).map(targetChart),
  });
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

function requirePacing(name: string, inputs: Inputs): void {
  const { rule } = ruleNamed(name, inputs, 'pacekeeper pacing --rule month-pacing');
  if (isPacing(rule)) return;
  const pacing = inputs.rules.filter(isPacing).map((one) => one.name);
  const those = pacing.length === 0 ? 'no rule has one' : `rules that have one: ${pacing.join(', ')}`;
  throw new InputError(`The rule ${name} has no pacing target; ${those}.`, {
    nextStep: `Run pacekeeper rules explain ${name} to see the rule. Write a target as "change: pace budget to 3000 per month".`,
  });
}
