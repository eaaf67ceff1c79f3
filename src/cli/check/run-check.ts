import { join, resolve } from 'node:path';
import { readEnvironment } from '../../config/environment.ts';
import { type QuerySettings, readQuerySettings, readSettings } from '../../config/read-settings.ts';
import type { Settings } from '../../config/settings.ts';
import type { CheckContext } from '../../gaql/check/check-query.ts';
import { formatFiles } from '../../jobs/format-files.ts';
import {
  checkFiles,
  type FileFindings,
  filesIn,
  type Inputs,
  isRuleFile,
  loadInputs,
  QUERY_ENDINGS,
} from '../../jobs/load-inputs.ts';
import { currencyFindings } from '../../jobs/refuse-ambiguous-money.ts';
import { createClock, systemPauses } from '../../system-time.ts';
import type { CommonOptions } from '../common-options.ts';
import { textLayout } from '../output.ts';
import { checkContext, refuseUnusedParameters } from '../parameters.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';
import type { CheckOptions } from './check-command.ts';
import { countFindings, renderGithub, renderJson, renderText } from './render-check.ts';

type CheckCommandOptions = CheckOptions & CommonOptions;

/** The check command: 2 when a file has an error. */
export async function runCheck(process: Process, options: CheckCommandOptions): Promise<number> {
  const { folder, env, output } = process;
  if (options.explain !== undefined) {
    const { explainCode } = await import('./explain-code.ts');
    output.stdout.write(explainCode(options.explain, textLayout(output).width));
    return EXIT.done;
  }
  const environment = readEnvironment(folder, env);
  const paths = [...new Set(options.files.map((file) => resolve(folder, file)))];
  // A check of everything is one of the settings, too.
  const whole = paths.length === 0 ? await readSettings(folder, options, environment) : undefined;
  const settings = readQuerySettings(folder, options, environment);
  if (options.fix) fixLayout(paths, settings, process);
  const clock = createClock(settings.startAtMs);
  const { param = [] } = options;
  const context: CheckContext = { ...checkContext(settings, param, clock), unbound: 'warning' };
  const offline = await (paths.length === 0 ? allFiles(settings, context) : namedFiles(paths, settings, context));
  refuseUnusedParameters(param, offline);
  const asked = options.online ? await askService(options, offline, process) : await withNotThere(offline, settings);
  const findings = whole?.schedule.length ? [...asked, ...(await scheduleFindings(whole))] : asked;
  const schemas = options.schema ? await import('./render-schema.ts') : undefined;
  const width = textLayout(output).width;
  if (options.format === 'json') output.stdout.write(renderJson(findings, schemas?.schemaOf));
  else if (options.format === 'github') output.stdout.write(renderGithub(findings));
  else output.stdout.write(`${schemas?.renderSchemas(findings, width) ?? ''}${renderText(findings, width)}`);
  return countFindings(findings).errors === 0 ? EXIT.done : EXIT.badInput;
}

/** The sandbox has a part of what a query may ask for. */
async function withNotThere(
  findings: readonly FileFindings[],
  { target, sandbox }: QuerySettings,
): Promise<readonly FileFindings[]> {
  if (target !== 'sandbox') return findings;
  const { notThere } = await import('../../sandbox/not-there.ts');
  return findings.map((file) => {
    const note = file.query && notThere(file.query.tree, sandbox.strict);
    return note === undefined ? file : { ...file, diagnostics: [...file.diagnostics, note] };
  });
}

async function scheduleFindings(settings: Settings): Promise<FileFindings[]> {
  const { scheduledQueryFindings } = await import('../../jobs/scheduled-queries.ts');
  return scheduledQueryFindings(settings);
}

async function allFiles(settings: QuerySettings, context: CheckContext): Promise<readonly FileFindings[]> {
  const { paths, extract } = settings;
  return withCurrencies(await loadInputs(paths.queries, paths.rules, () => context, extract.settleDays), settings);
}

/** A rule is checked against the tables of the queries folder; only what was named is shown. */
async function namedFiles(
  paths: readonly string[],
  settings: QuerySettings,
  context: CheckContext,
): Promise<readonly FileFindings[]> {
  const rules = paths.filter(isRuleFile);
  const queries = paths.filter((path) => !isRuleFile(path));
  const others = rules.length === 0 ? [] : queriesBeside(queries, settings);
  const inputs = await checkFiles([...queries, ...others], rules, () => context, settings.extract.settleDays);
  const findings = await withCurrencies(inputs, settings);
  return findings.filter(({ path }) => paths.includes(path));
}

/** What is read for the currencies of the accounts costs more than most checks, so it is asked where a rule needs it only. */
async function withCurrencies(inputs: Inputs, { paths, accounts }: QuerySettings): Promise<readonly FileFindings[]> {
  if (!inputs.rules.some(({ amountAt, currency }) => amountAt !== undefined && currency === undefined)) {
    return inputs.findings;
  }
  const currencies = [...accounts.values()].flatMap(({ currency }) => currency ?? []);
  const { knownCurrencies } = await import('../../store/known-currencies.ts');
  return currencyFindings(inputs, [...currencies, ...knownCurrencies(join(paths.data, 'state.sqlite'))]);
}

function queriesBeside(queries: readonly string[], settings: QuerySettings): string[] {
  return filesIn(settings.paths.queries, QUERY_ENDINGS, 'queries').filter((path) => !queries.includes(path));
}

function fixLayout(named: readonly string[], settings: QuerySettings, { output }: Process): void {
  const all = named.length > 0 ? named : filesIn(settings.paths.queries, QUERY_ENDINGS, 'queries');
  for (const { file, done } of formatFiles(all.filter((path) => !isRuleFile(path)))) {
    if (done !== 'unchanged') output.stderr.write(`${file}: ${DONE[done]}\n`);
  }
}

const DONE = { rewritten: 'written in the canonical layout', left: 'left as it is: it has syntax errors' } as const;

/** What the service says of the files that are right as far as can be told offline, added to what was found. */
async function askService(
  options: CheckCommandOptions,
  findings: readonly FileFindings[],
  { folder, env, output }: Process,
): Promise<readonly FileFindings[]> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const [{ open }, { checkOnline }, { requireAds }, { openLog }] = await Promise.all([
    import('../../app.ts'),
    import('../../jobs/check-online.ts'),
    import('../../jobs/require-ads.ts'),
    import('../open-log.ts'),
  ]);
  const clock = createClock(settings.startAtMs);
  const deps = { clock, pauses: systemPauses, log: await openLog(output, settings, clock) };
  return open(settings, deps, { what: 'areas', readOnly: true }, (areas) =>
    checkOnline(
      {
        ads: requireAds(areas, 'nothing can be asked'),
        target: areas.target,
        excluded: settings.ads.excludeCustomerIds,
        ...deps,
      },
      settings.ads.customerIds,
      findings,
    ),
  );
}
