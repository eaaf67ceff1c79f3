import stringWidth from 'string-width';
import { daysOf, endOfGrain, isWholeMonth, monthStart } from '../domain/civil-date.ts';
import { modeWords } from '../domain/frozen.ts';
import { grouped } from '../domain/grouped.ts';
import { formatDigits, formatDigitsRounded } from '../domain/micros.ts';
import { type Rational, roundHalfAway } from '../domain/rational.ts';
import type { PacingResult, PacingTarget } from './pacing-result.ts';
import { besideWords, decisionLines, knownSum, PACE_WORDS, whySentence, worstCases } from './pacing-words.ts';
import { notEvaluatedLines } from './render-rules.ts';
import { bullets, frozenBlock, NOTHING_READ, namesOf, section } from './sections.ts';
import { count, LINES_MAX, type NameOf, oneLine, type TextLayout, withId } from './text-layout.ts';
import { type TableColumn, textTable } from './text-table.ts';
import { wrapText } from './wrap-text.ts';

/** How each target's month goes, for a person at a terminal. */
export function renderPacing(result: PacingResult, layout: TextLayout): string {
  const { width } = layout;
  const nameOf = namesOf(result.accounts);
  const title = `pacekeeper pacing · ${result.target} · mode ${modeWords(result.mode, result.frozen)}`;
  const shown = result.unread ? [] : result.targets;
  const isWide = naturalWidth([...NAMES, ...NUMBERS], shown.map(rowOf)) <= width;
  const block = { ...layout, nameOf, isWide, isTerse: shown.length > LINES_MAX };
  const left = result.unread ? [] : notEvaluatedLines(result.rules, nameOf, width);
  const blocks = [
    frozenBlock(result.frozen, layout),
    `${wrapText(title, width, '', '  ')}\n${result.evaluatedAt}`,
    ...grouped(shown, ({ customerId }) => customerId).map((own) => accountBlock(own, block)),
    left.join('\n'),
    section('Worst case', bullets(worstCases(shown, nameOf), layout), layout),
    ...notesAndExample(result, layout),
    section('Failed', bullets(result.failures, layout), layout),
    lastLine(result),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** Where no rule paces the notes are all there is to say, and no heading is needed. */
function notesAndExample({ notes, example }: PacingResult, layout: TextLayout): string[] {
  if (example === undefined) return [section('Notes', bullets(notes, layout), layout)];
  return [...notes.map((note) => wrapText(note, layout.width, '', '')), example.trimEnd()];
}

function lastLine({ unread, targets, example }: PacingResult): string {
  if (example !== undefined) return '';
  if (unread) return NOTHING_READ;
  if (targets.length === 0) return 'Nothing can be said of any target: above is why.';
  const asking = targets.filter(({ decisions }) => decisions.length > 0).length;
  const others = targets.length - asking;
  return `Nothing was changed. ${count(asking, 'target')} ${asking === 1 ? 'asks' : 'ask'} for another budget, ${others.toLocaleString('en-US')} ${others === 1 ? 'does' : 'do'} not.`;
}

const NUMBERS: readonly TableColumn[] = [
  ...['Target', 'Spent', 'Ideal to date', 'Projected', 'Budget', 'Should be'].map(
    (title): TableColumn => ({ title, align: 'right' }),
  ),
];
const NAMES: readonly TableColumn[] = [
  ...['Of', 'Rule', 'State'].map((title): TableColumn => ({ title, align: 'left' })),
];

/**
 * A row for each target with its reason below it. Where the terminal has no room for names beside the numbers they stand
 * above them, because a name that is cut tells nobody whose numbers these are.
 */
function accountBlock(own: readonly PacingTarget[], layout: BlockLayout): string {
  const [first] = own;
  if (first === undefined) return '';
  const { width, bold, nameOf, isWide, isTerse } = layout;
  const months = new Set(own.map(partOfMonth));
  const heading = `${withId(first.customerId, nameOf)} · ${months.size > 1 ? first.reading.month.from.slice(0, 7) : partOfMonth(first)} · ${first.currency ?? 'currency not known'}`;
  const rows = own.map(isWide ? rowOf : numbersOf);
  const columns = isWide ? [...NAMES, ...NUMBERS] : NUMBERS;
  const indent = isWide ? '' : '  ';
  const fits = naturalWidth(columns, rows) + indent.length <= width;
  const table = fits
    ? textTable(columns, rows, width).split('\n')
    : ['', ...rows.map((cells) => inWords(cells, width - 2))];
  const [head = '', ...lines] = table.map((line) => indented(line, indent));
  const body = own.flatMap((one, index) => {
    const named = wrapText(
      `${PACE_WORDS[one.reading.state].toUpperCase()}  ${oneLine(one.subject)}, rule ${one.rule}`,
      width,
      '',
      '  ',
    );
    const why = isTerse && one.decisions.length + one.others.length === 0 ? [] : whyLines(one, months, width);
    return [...(isWide ? [] : [bold(named)]), lines[index] ?? '', ...why];
  });
  return [bold(wrapText(heading, width, '', '  ')), ...(head === '' ? [] : [head]), ...body].join('\n');
}

interface BlockLayout extends TextLayout {
  readonly nameOf: NameOf;
  /** There is room for names and numbers in one line, for every target. */
  readonly isWide: boolean;
  /** There are so many targets that only those that ask for something say why. */
  readonly isTerse: boolean;
}

const rowOf = (one: PacingTarget): string[] => [
  ...[oneLine(one.subject), one.rule, PACE_WORDS[one.reading.state]],
  ...numbersOf(one),
];

const indented = (text: string, indent: string): string => (text === '' ? '' : text.replace(/^/gm, indent));

/** `months`: those of the account's targets. */
function whyLines(target: PacingTarget, months: ReadonlySet<string>, width: number): string[] {
  const { reading } = target;
  const sentences = [
    oneLine(whySentence(reading)),
    ...(months.size > 1 ? [`Of ${partOfMonth(target)}.`] : []),
    ...besideWords(target),
    ...decisionLines(target),
  ];
  return sentences.filter((one) => one !== '').map((one) => wrapText(one, width, '    ', '      '));
}

/** A target that begins or ends within the month names its days, because its numbers are of these alone. */
function partOfMonth({ reading: { month } }: PacingTarget): string {
  if (isWholeMonth(month)) return month.from.slice(0, 7);
  const whole = { from: monthStart(month.from), to: endOfGrain('month', month.from) };
  return `${month.from} to ${month.to}: ${count(daysOf(month).length, 'day')} of ${daysOf(whole).length}`;
}

function numbersOf({ reading, shouldBe, currency }: PacingTarget): string[] {
  const sum = (value: bigint | undefined) => (value === undefined ? '–' : formatDigitsRounded(value, currency));
  const known = (value: Rational) => sum(knownSum(reading, value));
  const exact = (value: bigint) => formatDigits(value, currency);
  return [
    sum(roundHalfAway(reading.target)),
    ...[reading.spent, reading.idealToDate, reading.projected].map(known),
    ...[exact(reading.current), shouldBe === reading.current ? 'as it is' : exact(shouldBe)],
  ];
}

function inWords(cells: readonly string[], width: number): string {
  return wrapText(
    cells.map((cell, index) => `${NUMBERS[index]?.title.toLowerCase()} ${cell}`).join(', '),
    width,
    '',
    '',
  );
}

const GAP = 2;

function naturalWidth(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): number {
  const widths = columns.map(({ title }, index) =>
    Math.max(stringWidth(title), ...rows.map((row) => stringWidth(row[index] ?? ''))),
  );
  return widths.reduce((sum, one) => sum + one + GAP, 0);
}
