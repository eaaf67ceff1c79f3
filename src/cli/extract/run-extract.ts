import type { DateRange } from '../../domain/civil-date.ts';
import { extract, refuseFixedWindows } from '../../jobs/extract.ts';
import type { ExtractionScope } from '../../jobs/plan-extraction.ts';
import { refuseBeyondRetention } from '../../jobs/refuse-beyond-retention.ts';
import { chooseInputs } from '../choose-inputs.ts';
import type { CommandApp } from '../command.ts';
import { rangeOf } from '../common-options.ts';
import { tellRun } from '../tell-run.ts';
import type { ExtractOptions } from './extract-command.ts';

export async function runExtract(app: CommandApp<'all'>, options: ExtractOptions): Promise<number> {
  const { settings, clock } = app;
  const { query = [], customer: customers = [], resume = false, format } = options;
  const range = rangeOf(options);
  // The days that a replayed market has are known when it is read.
  const isReplayed = settings.target.kind === 'sandbox' && settings.sandbox.market !== undefined;
  if (!isReplayed) refuseBeyondRetention(resume ? undefined : range, clock.now());
  const inputs = await chooseInputs(app, options);
  refuseFixedWindows(inputs.queries, query, range);
  const job = { customers, scope: scopeOf(resume, range), named: query.length > 0 };
  return tellRun(app, format, await app.open((opened) => extract(opened, inputs, job)));
}

function scopeOf(resume: boolean, range: DateRange | undefined): ExtractionScope {
  if (resume) return { kind: 'resume', range };
  return range === undefined ? { kind: 'window' } : { kind: 'range', range };
}
