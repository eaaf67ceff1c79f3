export const MODEL_NAME = /^[a-z][a-z0-9_]{0,62}$/;

/** The query of an address or a form. Forms send line breaks as CR and LF. */
export function sqlIn(fields: URLSearchParams): string {
  return (fields.get('sql') ?? '').replaceAll('\r\n', '\n');
}

export const CHART_KINDS = ['line', 'bar', 'stacked'] as const;

/** Columns by their names. An undefined part is chosen by the rows. An empty series means one line. */
export interface ChartChoice {
  readonly x?: string | undefined;
  readonly y?: string | undefined;
  readonly series?: string | undefined;
  readonly kind?: (typeof CHART_KINDS)[number] | undefined;
  readonly currency?: string | undefined;
}

const PARTS = ['x', 'y', 'series', 'kind', 'currency'] as const;

export function choiceIn(fields: URLSearchParams): ChartChoice {
  const kind = CHART_KINDS.find((one) => one === fields.get('kind'));
  const [x, y, series, , currency] = PARTS.map((part) => fields.get(part) ?? undefined);
  return { x, y, series, kind, currency };
}

/** The part of an address that draws the same chart again. */
export function choiceFields(choice: ChartChoice): Readonly<Record<string, string>> {
  return Object.fromEntries(PARTS.flatMap((part) => (choice[part] === undefined ? [] : [[part, choice[part]]])));
}
