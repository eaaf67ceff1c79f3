import { clientQuarter } from '../../test/simulate/client-quarter.ts';
import { readJob } from '../measurement.ts';
import type { QuarterJob } from './clients.ts';

/** `quarter-child.js JOB`: prints how far each month of each seed ends from the target. */
const { folder, seeds } = readJob<QuarterJob>();
const months: number[][] = [];
for (let seed = 1; seed <= seeds; seed += 1) months.push(await clientQuarter(folder, seed));
process.stdout.write(JSON.stringify(months));
