import { ADS_NEXT_STEPS } from '../../src/apis/ads/read-failure.ts';
import { GRAPH_CODES } from '../../src/apis/graph/read-failure.ts';
import { MESSAGE_CODES } from '../../src/apis/messages/read-refusal.ts';
import { EXIT } from '../../src/cli/print-error.ts';
import { CODES_BY_SUBJECT, type Explanation } from '../../src/gaql/codes.ts';
import { TRANSPORT_WORDS } from '../../src/http/classify-failure.ts';
import { RULE_CODES, SHARED_CODES } from '../../src/rules/file/rule-codes.ts';
import { ADS_ERROR_CURES, ANSWER_CURES, STATUS_CURES, TRANSPORT_CURES } from './answer-cures.ts';
import { type Cure, GUARD_CURES, REQUEST_CURES } from './change-cures.ts';
import { anchorOf, code, plain, renderTable } from './markdown.ts';

/** The tables of docs/troubleshoot.md by the names of their places. */
export function troubleshootingBlocks(): ReadonlyMap<string, string> {
  const statuses = Object.entries(STATUS_CURES).map(([word, [meaning, cure]]): [string, Cure] => {
    return [word, [meaning, ADS_NEXT_STEPS[word] ?? cure]];
  });
  return new Map([
    ['exit codes', renderTable(['code', 'means', 'what to do'], Object.entries(EXIT_CURES).map(exitRow))],
    ['query codes', CODES_BY_SUBJECT.map(queryTable).join('\n\n')],
    ['rule codes', renderTable(FINDING_HEAD, [...RULE_CODES, ...SHARED_CODES].map(ruleRow))],
    ['guard codes', cureTable(Object.entries(GUARD_CURES))],
    ['request codes', cureTable(Object.entries(REQUEST_CURES))],
    ['statuses', cureTable(withSteps(statuses))],
    ['advertising errors', cureTable(Object.entries(ADS_ERROR_CURES))],
    ['answers', cureTable(Object.entries(ANSWER_CURES).filter(([word]) => !(word in STATUS_CURES)))],
    ['connections', cureTable(connections())],
    [
      'message codes',
      cureTable(wordsOf(MESSAGE_CODES, 'Nothing now: pacekeeper tries again, or uses the next channel.')),
    ],
    [
      'graph codes',
      cureTable(wordsOf(new Map(Object.entries(GRAPH_CODES)), 'Nothing now: pacekeeper uses the next channel.')),
    ],
  ]);
}

const EXIT_CURES: Readonly<Record<keyof typeof EXIT, Cure>> = {
  done: ['Done. Also when a guard refused a change, or a rule only suggested one.', 'Nothing.'],
  failed: [
    'Something failed and the rest was done: an account, a change, a message. Or the data folder is in use.',
    'Read "Failed" at the end of the report, or the last lines of stderr; run again after fixing the cause.',
  ],
  badInput: [
    'The input is wrong (usage, settings, a query, a rule). Nothing was done.',
    'Correct every place that the message names. It names all of them.',
  ],
};

const exitRow = ([name, [meaning, cure]]: [string, Cure]): string[] => {
  return [code(String(EXIT[name as keyof typeof EXIT])), meaning, cure];
};

const FINDING_HEAD = ['code', 'means', 'put right'];

function queryTable({ subject, codes }: (typeof CODES_BY_SUBJECT)[number]): string {
  const rows = codes.map(([name, explanation]) => [
    `[${code(name)}](query-language.md#${anchorOf(name)})`,
    plain(explanation.meaning),
    example(explanation),
  ]);
  return `**${subject}**\n\n${renderTable(FINDING_HEAD, rows)}`;
}

const ruleRow = ([name, explanation]: readonly [string, Explanation]): string[] => [
  code(name),
  plain(explanation.meaning),
  example(explanation),
];

const EXAMPLE_LENGTH_MAX = 90;

/** The text put right, where it is short: only the lines that differ from the wrong one. */
function example({ wrong, right }: Explanation): string {
  const before = wrong.split('\n');
  const changed = right
    .split('\n')
    .filter((line) => !before.includes(line))
    .join(' ⏎ ');
  const fits = changed !== '' && changed.length <= EXAMPLE_LENGTH_MAX && !changed.includes('`');
  return fits ? code(changed) : '';
}

function cureTable(rows: readonly (readonly [string, Cure])[]): string {
  const incomplete = rows.filter(([, [meaning, cure]]) => meaning === '' || cure === '').map(([name]) => name);
  if (incomplete.length > 0) throw new Error(`No cure is written down for ${incomplete.join(', ')}.`);
  return renderTable(
    ['code', 'means', 'what to do'],
    rows.map(([name, [meaning, cure]]) => [code(name), meaning, cure]),
  );
}

/** The statuses with those that have a step in the program and no row here, which is refused. */
function withSteps(statuses: readonly [string, Cure][]): readonly [string, Cure][] {
  const lost = Object.keys(ADS_NEXT_STEPS).filter((word) => !statuses.some(([known]) => known === word));
  if (lost.length > 0) throw new Error(`No meaning is written down for ${lost.join(', ')}.`);
  return statuses;
}

function connections(): [string, Cure][] {
  return Object.entries(TRANSPORT_WORDS).map(([name, words]) => [
    name,
    [`${words[0]?.toUpperCase()}${words.slice(1)}.`, TRANSPORT_CURES[name] ?? ''],
  ]);
}

type Words = ReadonlyMap<string, { readonly meaning: string; readonly nextStep: string | undefined }>;

const wordsOf = (codes: Words, otherwise: string): [string, Cure][] =>
  [...codes].map(([name, { meaning, nextStep }]) => [name, [meaning, nextStep ?? otherwise]]);
