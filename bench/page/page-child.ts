import { join } from 'node:path';
import { settingsFrom } from '../../src/config/read-settings.ts';
import { gatherReport } from '../../src/dashboard/report/gather-report.ts';
import { reportDocument } from '../../src/dashboard/report/report-page.ts';
import { openedState } from '../../test/support/state.ts';
import { readJob } from '../measurement.ts';
import { noonMs, TODAY } from '../query.ts';
import type { PageJob, PageMeasurement } from './page-job.ts';

/** `page-child.js JOB`: the report's page of a filled folder, facts and drawing. */
const { folder, campaigns } = readJob<PageJob>();
const settings = settingsFrom(folder, { dataDir: folder }, {}, '');
const state = await openedState(join(folder, 'state.sqlite'));
const startedMs = performance.now();
const clock = { now: () => noonMs(TODAY) };
const facts = await gatherReport({ settings, clock, state });
const page = reportDocument(facts);
const seconds = (performance.now() - startedMs) / 1000;
const peakMiB = process.resourceUsage().maxRSS / 1024;
await state.close();
// A page that leaves campaigns out without a word would be quick.
if (!page.includes('Campaign ') || !page.includes(campaigns.toLocaleString('en'))) {
  throw new Error(`The page does not tell of ${campaigns} campaigns.`);
}
const measurement: PageMeasurement = { seconds, peakMiB, pageKiB: Buffer.byteLength(page) / 1024 };
process.stdout.write(JSON.stringify(measurement));
