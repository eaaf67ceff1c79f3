import type { PicturePart } from '../../src/views/html/chart/picture.ts';
import { writePart } from '../benchmarks-page.ts';
import { renderTable } from '../figures.ts';
import type { SoakOptions } from './read-soak-options.ts';
import { type Curve, type JudgedCurve, judgeCurve, type SoakHour } from './soak-hour.ts';

const MEMORY = { unit: 'MiB', ratioMax: 1.1 };
const FILE_SIZE = { unit: 'MiB', ratioMax: 1.15 };
/** What a run notes of an account: five slices of some 450 bytes, mostly the texts of their queries, and its days. */
const STATE_SIZE = { unit: 'MiB', ratioMax: Number.POSITIVE_INFINITY, grownMax: 3_000 };
/** What a webhook brought is kept for 30 days after it was handled: some 570 bytes with its indexes. */
const INBOX_SIZE = { unit: 'MiB', ratioMax: Number.POSITIVE_INFINITY, grownMax: 1_000, grownWith: 'webhook' } as const;
const COUNT = { unit: '', ratioMax: 1 };

/** A picture has the curves of a kind, one below the other. */
const PICTURES: readonly { readonly file: string; readonly title: string; readonly curves: readonly Curve[] }[] = [
  {
    file: 'soak-memory.svg',
    title: 'Memory over the hours',
    curves: [
      { name: 'runPeakMiB', title: "largest resident set of the hour's report", ...MEMORY },
      { name: 'daemonMiB', title: 'resident set of schedule', ...MEMORY },
      { name: 'serveMiB', title: 'resident set of serve', ...MEMORY },
    ],
  },
  {
    file: 'soak-files.svg',
    title: 'Files over the hours',
    curves: [
      { name: 'walMiB', title: 'largest log of state.sqlite within the hour', ...FILE_SIZE },
      { name: 'stateMiB', title: 'state.sqlite', ...STATE_SIZE },
      { name: 'warehouseMiB', title: 'warehouse.sqlite', ...FILE_SIZE },
      { name: 'inboxMiB', title: 'inbox.sqlite with its log', ...INBOX_SIZE },
      { name: 'files', title: 'files in the data folder, without records of runs', ...COUNT },
    ],
  },
  {
    file: 'soak-descriptors.svg',
    title: 'Open files and sockets over the hours, and the time of a run',
    curves: [
      {
        name: 'runDescriptors',
        title: "highest number of open files of the hour's report",
        unit: '',
        ratioMax: 1.1,
        byHighest: true,
      },
      { name: 'daemonDescriptors', title: 'open files of schedule', ...COUNT },
      { name: 'serveDescriptors', title: 'open files of serve', ...COUNT },
      { name: 'seconds', title: "time of the hour's report", unit: 's', ratioMax: 1.25 },
    ],
  },
];

const CURVES = PICTURES.flatMap(({ curves }) => curves);

/** What an hour left, on one line. */
export function lineOf(hour: SoakHour): string {
  return [`hour ${hour.hour}`, ...CURVES.map(({ name, unit }) => `${name} ${shown(hour[name], unit)}`)].join(', ');
}

/** Prints how flat each curve is and writes the page and its pictures where one is wanted. True when each is flat, or grows by no more than it may. */
export function reportSoak(hours: readonly SoakHour[], { sizes, page, command }: SoakOptions): boolean {
  const judged = CURVES.map((curve) => judgeCurve(curve, hours, { account: sizes.accounts, webhook: sizes.webhooks }));
  const table = renderTable(
    ['', 'first hour', 'second quarter', 'last hour', 'last ÷ second quarter', 'at most'],
    judged.map((curve) => rowOf(curve, hours)),
  );
  process.stdout.write(`${table}\n`);
  if (page === undefined) process.stdout.write('Smaller than the soak is meant to be: no page was written.\n');
  else {
    const figures = `${table}\n\n${sizes.accounts.toLocaleString('en-US')} accounts, ${hours.length} hours, ${sizes.latencyMs} ms before each answer, ${sizes.webhooks} webhooks an hour.`;
    const pictures = PICTURES.map(({ file, title, curves }) => {
      return { file, title, parts: curves.map((curve) => partOf(curve, hours)) };
    });
    writePart(page, 'soak', { figures, targets: [], pictures }, command);
  }
  return judged.every(({ flat }) => flat);
}

function rowOf(judged: JudgedCurve, hours: readonly SoakHour[]): string[] {
  const { name, title, unit, ratio, ratioMax, grown, grownMax, grownWith, flat } = judged;
  const quarter = Math.floor(hours.length / 4);
  const second = hours.slice(quarter, 2 * quarter).reduce((sum, hour) => sum + hour[name], 0) / quarter;
  const first = hours[0]?.[name] ?? 0;
  const last = hours.at(-1)?.[name] ?? 0;
  const values = [first, second, last].map((value) => value.toFixed(unit === '' ? 0 : 1));
  const named = unit === '' ? title : `${title}, ${unit}`;
  if (grown === undefined || grownMax === undefined)
    return [named, ...values, flat ? ratio.toFixed(2) : `**${ratio.toFixed(2)}**`, ratioMax.toFixed(2)];
  const each = `${bytes(grown)} a ${grownWith ?? 'run and account'}`;
  return [named, ...values, flat ? each : `**${each}**`, bytes(grownMax)];
}

function bytes(count: number): string {
  return `${Math.round(count).toLocaleString('en-US')} bytes`;
}

function shown(value: number, unit: string): string {
  return unit === '' ? String(Math.round(value)) : `${value.toFixed(1)} ${unit}`;
}

function partOf({ name, title, unit }: Curve, hours: readonly SoakHour[]): PicturePart {
  const values = hours.map((hour) => Number(hour[name].toFixed(2)));
  return {
    title,
    unit,
    height: 130,
    x: hours.map(({ hour }) => String(hour)),
    summary: `From ${shown(values[0] ?? 0, unit)} in the first hour to ${shown(values.at(-1) ?? 0, unit)} in the last.`,
    series: [{ name: 'by hour', values }],
  };
}
