import { existsSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { chooseInputs } from '../../cli/choose-inputs.ts';
import type { CommandApp } from '../../cli/command.ts';
import { listingIn } from '../../cli/print-listing.ts';
import { shownPath } from '../../cli/shown-path.ts';
import { alertSettings } from '../../config/alert-settings.ts';
import { holidaysOf } from '../../config/holidays-of.ts';
import { startOfDayMs } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { civilDate } from '../../domain/parse-civil-date.ts';
import type { SimulationResult } from '../../results/simulation-result.ts';
import { SIMULATE } from '../../views/simulate.ts';
import { simulate } from './simulate.ts';
import type { SimulateOptions } from './simulate-command.ts';

/** Queries are judged as on this day, whatever day it is: the machine's clock has no part in a simulation. */
const CHECKED_ON = civilDate('2026-01-01');

export async function runSimulate(app: CommandApp, options: SimulateOptions): Promise<void> {
  const { folder, settings, output } = app;
  for (const option of ['html', 'svg'] as const) refuseNoFolder(folder, options[option], `--${option}`);
  const nowMs = startOfDayMs(options.from ?? CHECKED_ON, 'UTC');
  const inputs = await chooseInputs({ ...app, clock: { now: () => nowMs } }, options);
  const { cooldownMs, repeatMs } = alertSettings(settings.alerts);
  const result = await simulate(inputs, {
    ...{ days: options.days, seed: options.seed ?? settings.sandbox.seed, shocks: options.shocks },
    ...{ customerId: options.customer, campaigns: options.campaigns, from: options.from },
    marketFile: options.market === undefined ? undefined : resolve(folder, options.market),
    changesCount: 'same_day',
    ...{ policy: { cooldownMs, repeatMs }, mode: settings.automation.mode },
    holidaysOf: (customerId) => holidaysOf(settings, customerId),
    boundsOf: (customerId) => {
      const account = settings.accounts.get(customerId);
      return { dailyTotalMax: account?.dailyTotal, dailyExposureMax: account?.dailyExposure };
    },
  });
  const written = await writePictures(result, options, folder);
  output.stdout.write(listingIn(options.format, SIMULATE, result, output));
  // What is printed as JSON is for programs, which know what they asked for.
  if (options.format === 'table' && written.length > 0) {
    output.stdout.write(`\nTo look at: ${written.map((path) => shownPath(folder, path)).join(', ')}\n`);
  }
}

/** What draws charts takes longer to load than most simulations need. */
async function writePictures(
  result: SimulationResult,
  { html, svg }: SimulateOptions,
  folder: string,
): Promise<string[]> {
  if (html === undefined && svg === undefined) return [];
  const { renderSimulationSvg, simulationDocument } = await import('../../pages/simulation-page.ts');
  return [
    ...(html === undefined ? [] : [write(resolve(folder, html), simulationDocument(result), '--html')]),
    ...(svg === undefined ? [] : [write(resolve(folder, svg), renderSimulationSvg(result), '--svg')]),
  ];
}

/** A simulation may take a minute: that its file has nowhere to go is said before. */
function refuseNoFolder(folder: string, file: string | undefined, option: string): void {
  if (file === undefined || existsSync(dirname(resolve(folder, file)))) return;
  throw new InputError(`The file ${resolve(folder, file)} could not be written; found no folder for it.`, {
    nextStep: `Name a file in a folder that exists and can be written with ${option}.`,
  });
}

function write(path: string, text: string, option: string): string {
  try {
    writeFileSync(path, text);
    return path;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InputError(`The file ${path} could not be written; found "${reason}".`, {
      nextStep: `Name a file in a folder that exists and can be written with ${option}.`,
      cause,
    });
  }
}
