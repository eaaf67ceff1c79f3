import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import { type Html, html } from '../../views/html/html.ts';
import { rangeText } from '../../views/html/wording.ts';
import type { Comparison } from '../../views/report/comparison.ts';

interface Reading {
  /** Undefined if nobody chose one. */
  readonly comparison?: Comparison;
  /** Values that choose nothing. */
  readonly ignored: readonly string[];
  readonly notes: readonly string[];
}

const CHOICES = {
  previous: 'Previous period',
  year: 'Same dates a year before',
  range: 'Chosen days',
  none: 'No comparison',
} as const;

/** The form sends its hidden days, too. So they count only if the choice is `range` or absent. */
export function readComparison(query: URLSearchParams): Reading {
  const kind = query.get('compare')?.trim() ?? undefined;
  const texts = ['compare_from', 'compare_to'].map((name) => query.get(name)?.trim() ?? '');
  switch (kind) {
    case 'previous':
    case 'year':
    case 'none':
      return { comparison: { kind }, ignored: [], notes: [] };
    case undefined:
    case 'range':
      return kind === undefined && texts.every((text) => text === '') ? { ignored: [], notes: [] } : readRange(texts);
    default:
      return { ignored: kind === '' ? [] : [kind], notes: [] };
  }
}

function readRange(texts: readonly string[]): Reading {
  const [one, other] = texts.map(parseCivilDate);
  const ignored = texts.filter((text) => text !== '' && parseCivilDate(text) === undefined);
  if (one === undefined || other === undefined) {
    return { ignored, notes: ['A comparison with chosen days needs the first and the last day.'] };
  }
  const range = one > other ? { from: other, to: one } : { from: one, to: other };
  const notes = one > other ? [`The compared days were in the wrong order. Shown: ${rangeText(range)}.`] : [];
  return { comparison: { kind: 'range', range }, ignored, notes };
}

/** The part of an address. */
export function comparisonQuery(comparison: Comparison | undefined): Readonly<Record<string, string>> {
  if (comparison === undefined) return {};
  if (comparison.kind !== 'range') return { compare: comparison.kind };
  return { compare_from: comparison.range.from, compare_to: comparison.range.to };
}

/** Styles hide the days until somebody chooses them. */
export function comparisonFields(comparison: Comparison | undefined): Html {
  const kind = comparison?.kind ?? '';
  const range = comparison?.kind === 'range' ? comparison.range : undefined;
  const options = Object.entries({ '': 'Previous period, changes only', ...CHOICES }).map(
    ([value, words]) => html`<option value="${value}"${value === kind && html` selected`}>${words}</option>`,
  );
  return html`<label class="whole">Compare with <select name="compare">${options}</select></label>
<label class="compared">First compared day <input type="date" name="compare_from" value="${range?.from ?? ''}"></label><label class="compared">Last compared day <input type="date" name="compare_to" value="${range?.to ?? ''}"></label>`;
}

/** On a page without comparisons, its form still keeps the choice. */
export function keptComparison(comparison: Comparison | undefined): Html[] {
  return Object.entries(comparisonQuery(comparison)).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
}
