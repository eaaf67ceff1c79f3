import type { Diagnostic, Span } from '../../domain/diagnostic.ts';
import { add, compare, formatRational, type Rational, rational } from '../../domain/rational.ts';
import type { YamlPlaces } from '../../yaml/read-yaml.ts';
import { type Curve, DEFAULT_PACE, type PaceOptions } from './pace.ts';
import type { LoosePace, WrittenWeight } from './pace-schema.ts';

export interface PaceCheck {
  readonly options: PaceOptions;
  readonly diagnostics: readonly Diagnostic[];
  /** Where amounts of money stand in the file. */
  readonly amounts: readonly Span[];
}

/** What the key `pace` says, and what of it no month could keep. */
export function checkPace(written: LoosePace | undefined, places: YamlPlaces): PaceCheck {
  if (written === undefined) return { options: DEFAULT_PACE, diagnostics: [], amounts: [] };
  const diagnostics: Diagnostic[] = [];
  const at = (key: string) => places.spanOf(['pace', key]);
  const refuse = (code: 'BAD_VALUE' | 'MISSING_KEY', key: string, message: string, hint: string) =>
    diagnostics.push({ code, severity: 'error', span: at(key), message, hint });
  const { band = DEFAULT_PACE.band, rollover = DEFAULT_PACE.rollover, starts, ends, months = {} } = written;
  if (rollover !== 'none' && starts === undefined && !places.has(['pace', 'starts'])) {
    const message = '"pace.starts" is missing: what is carried over is counted from a first day on.';
    refuse('MISSING_KEY', 'rollover', message, 'Add starts: 2026-11-01, or leave rollover out.');
  }
  if (starts !== undefined && ends !== undefined && ends < starts) {
    refuse('BAD_VALUE', 'ends', `Found ${ends}, which is before ${starts}, where pacing starts.`, 'Swap the two days.');
  }
  let curve = DEFAULT_PACE.curve;
  if (written.curve !== undefined) {
    const read = typeof written.curve === 'string' ? { kind: written.curve } : readWeights(written.curve);
    if ('message' in read) refuse('BAD_VALUE', 'curve', read.message, read.hint);
    else curve = read;
  }
  return {
    options: { curve, band, rollover, starts, ends, months: new Map(Object.entries(months)) },
    diagnostics,
    amounts: Object.keys(months).map((month) => places.spanOf(['pace', 'months', month])),
  };
}

function readWeights(written: readonly WrittenWeight[]): Curve | { readonly message: string; readonly hint: string } {
  const sum = written.reduce((total, { value }) => add(total, value), rational(0n));
  const percents = written.filter(({ percent }) => percent).length;
  if (percents > 0 && percents < written.length) {
    const message = `Found ${percents} ${percents === 1 ? 'percentage' : 'percentages'} beside ${written.length - percents} plain ${written.length - percents === 1 ? 'number' : 'numbers'}, expected seven of a kind.`;
    return { message, hint: 'Write percentages that come to 100%, or weights such as [1, 1, 1, 1, 1, 0.5, 0.5].' };
  }
  if (percents > 0 && compare(sum, rational(1n)) !== 0) {
    const message = `The parts of the curve come to ${percentText(sum)}, expected 100%.`;
    return { message, hint: 'Weights without percent signs may come to anything: [1, 1, 1, 1, 1, 0.5, 0.5].' };
  }
  if (sum.n === 0n) {
    const message = 'Every day of the curve has the weight 0, so that no day would get anything of the target.';
    return { message, hint: 'Give at least one weekday a weight above 0.' };
  }
  return { kind: 'custom', weights: written.map(({ value }) => value) };
}

const percentText = ({ n, d }: Rational): string => `${formatRational({ n: n * 100n, d }, 6)}%`;
