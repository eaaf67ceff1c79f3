import { GRAPH_CODES } from '../../src/channels/graph/read-failure.ts';
import { MESSAGE_CODES } from '../../src/channels/messages/read-refusal.ts';
import { EXIT } from '../../src/commands/cli/print-error.ts';
import { CODES_BY_SUBJECT, type Explanation } from '../../src/language/gaql/codes.ts';
import { RULE_CODES, SHARED_CODES } from '../../src/language/rules/file/rule-codes.ts';
import { ADS_CODE_STEPS, ADS_NEXT_STEPS } from '../../src/services/ads/read-failure.ts';
import { TRANSPORT_WORDS } from '../../src/services/http/classify-failure.ts';
import { MODEL_CODES } from '../../src/storage/warehouse/models/model-codes.ts';
import { ADS_ERROR_CURES, ANSWER_CURES, MESSAGE_CURES, STATUS_CURES, TRANSPORT_CURES } from './answer-cures.ts';
import { type Cure, GUARD_CURES, REQUEST_CURES } from './change-cures.ts';
import { code, plain, renderTable } from './markdown.ts';

/** The tables of docs/troubleshoot.md by the names of their places. */
export function troubleshootingBlocks(): ReadonlyMap<string, string> {
  return new Map([
    ['exit codes', renderTable(['code', 'meaning', 'do'], Object.entries(EXIT_CURES).map(exitRow))],
    ['query codes', CODES_BY_SUBJECT.map(queryTable).join('\n\n')],
    ['rule codes', findingTable([...RULE_CODES, ...SHARED_CODES])],
    ['model codes', findingTable([...MODEL_CODES])],
    ['guard codes', cureTable(Object.entries(GUARD_CURES))],
    ['request codes', cureTable(Object.entries(REQUEST_CURES))],
    [
      'interface codes',
      cureTable([
        ...withSteps(STATUS_CURES, ADS_NEXT_STEPS),
        ...Object.entries(ANSWER_CURES),
        ...withSteps(ADS_ERROR_CURES, ADS_CODE_STEPS),
      ]),
    ],
    ['connections', cureTable(connections())],
    ['message answers', cureTable(Object.entries(MESSAGE_CURES))],
    ['message codes', cureTable(wordsOf(MESSAGE_CODES, 'Nothing. pacekeeper retries, or uses the next channel.'))],
    [
      'graph codes',
      cureTable(wordsOf(new Map(Object.entries(GRAPH_CODES)), 'Nothing. pacekeeper uses the next channel.')),
    ],
  ]);
}

const EXIT_CURES: Readonly<Record<keyof typeof EXIT, Cure>> = {
  done: ['Done. A guard may have refused a change, or a rule only suggested one.', 'Nothing.'],
  failed: [
    'An account, a change or a message failed, and the rest was done. Or the data folder is in use.',
    'Read "Failed" at the top of the report, or the last lines of stderr. Fix the cause and run again.',
  ],
  badInput: [
    'Invalid usage, settings, query or rule, or a service refused the credentials (401). Nothing was done.',
    'Correct all places that the message names.',
  ],
};

const exitRow = ([name, [meaning, cure]]: [string, Cure]): string[] => {
  return [code(String(EXIT[name as keyof typeof EXIT])), meaning, cure];
};

function queryTable({ subject, codes }: (typeof CODES_BY_SUBJECT)[number]): string {
  return `**${subject}**\n\n${findingTable(codes)}`;
}

const findingTable = (codes: readonly (readonly [string, Explanation])[]): string =>
  renderTable(
    ['code', 'meaning'],
    codes.map(([name, { meaning }]) => [code(name), plain(meaning)]),
  );

const LINE_BREAK = '<br>';

/** Codes with the same cure share a row, and those with the same meaning a line. */
function cureTable(rows: readonly (readonly [string, Cure])[]): string {
  const incomplete = rows.filter(([, [, cure]]) => cure === '').map(([name]) => name);
  if (incomplete.length > 0) throw new Error(`No cure is written down for ${incomplete.join(', ')}.`);
  const byCure = Map.groupBy(rows, ([, [, cure]]) => cure);
  const body = [...byCure].map(([cure, sharing]) => {
    const byMeaning = Map.groupBy(sharing, ([, [meaning]]) => meaning);
    const lines = [...byMeaning].map(([meaning, same]) => {
      return `${same.map(([name]) => code(name)).join(', ')} ${meaning}`.trimEnd();
    });
    return [lines.join(LINE_BREAK), cure];
  });
  return renderTable(['code and cause', 'do'], body);
}

/** With the program's own next steps. Throws if one of them has no meaning here. */
function withSteps(cures: Readonly<Record<string, Cure>>, steps: Readonly<Record<string, string>>): [string, Cure][] {
  const lost = Object.keys(steps).filter((word) => !(word in cures));
  if (lost.length > 0) throw new Error(`No meaning is written down for ${lost.join(', ')}.`);
  return Object.entries(cures).map(([word, [meaning, cure]]) => [word, [meaning, steps[word] ?? cure]]);
}

function connections(): [string, Cure][] {
  return Object.entries(TRANSPORT_WORDS).map(([name, words]) => [
    name,
    [`${words[0]?.toUpperCase()}${words.slice(1)}.`, TRANSPORT_CURES[name] ?? ''],
  ]);
}

type Words = ReadonlyMap<string, { readonly meaning: string; readonly nextStep: string | undefined }>;

/** The program shows the meaning beside the code, so codes with the same next step are only listed. */
function wordsOf(codes: Words, otherwise: string): [string, Cure][] {
  const byStep = Map.groupBy(codes.values(), ({ nextStep }) => nextStep);
  return [...codes].map(([name, { meaning, nextStep }]) => {
    const sharing = new Set(byStep.get(nextStep)?.map((one) => one.meaning));
    return [name, [sharing.size > 1 ? '' : meaning, nextStep ?? otherwise]];
  });
}
