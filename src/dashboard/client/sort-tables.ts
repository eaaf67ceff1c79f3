const ROWS_MIN = 3;
const collator = new Intl.Collator('en', { numeric: true });

/**
 * The headings of wide tables sort their rows: numbers from the highest, texts from A. Amounts that name a currency are
 * compared within it, and rows without a value stay last.
 */
export function sortTables(): void {
  for (const table of document.querySelectorAll<HTMLTableElement>('table.rows')) {
    const rows = table.tBodies[0];
    if (rows === undefined || rows.rows.length < ROWS_MIN) continue;
    for (const heading of table.tHead?.querySelectorAll('th') ?? []) {
      if (heading.textContent !== '') offerSort(heading, rows);
    }
  }
}

function offerSort(heading: HTMLTableCellElement, body: HTMLTableSectionElement): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.append(...heading.childNodes);
  heading.append(button);
  const { cellIndex: index } = heading;
  const isNumeric = heading.classList.contains('number');
  button.addEventListener('click', () => {
    const direction = nextDirection(heading, isNumeric);
    for (const other of heading.parentElement?.children ?? []) other.removeAttribute('aria-sort');
    heading.setAttribute('aria-sort', direction);
    const sign = direction === 'ascending' ? 1 : -1;
    const known: { readonly row: HTMLTableRowElement; readonly key: Key }[] = [];
    const unknown: HTMLTableRowElement[] = [];
    for (const row of body.rows) {
      const key = keyOf(row.cells[index], isNumeric);
      if (key === undefined) unknown.push(row);
      else known.push({ row, key });
    }
    known.sort((one, other) => compare(one.key, other.key, sign));
    body.append(...known.map(({ row }) => row), ...unknown);
  });
}

function nextDirection(heading: Element, isNumeric: boolean): 'ascending' | 'descending' {
  const now = heading.getAttribute('aria-sort');
  if (now === null) return isNumeric ? 'descending' : 'ascending';
  return now === 'ascending' ? 'descending' : 'ascending';
}

interface Key {
  readonly currency: string;
  readonly value: number | string;
}

/** Undefined for a cell without a value. A number is the first of its cell: its currency and notes follow. */
function keyOf(cell: HTMLTableCellElement | undefined, isNumeric: boolean): Key | undefined {
  const text = cell?.querySelector('time')?.dateTime ?? cell?.textContent?.trim() ?? '';
  if (text === '' || text === '–') return undefined;
  if (!isNumeric) return { currency: '', value: text };
  const found = /([-−]?\d[\d,]*(?:\.\d+)?) ?([A-Z]{3})?/.exec(text);
  if (found === null) return undefined;
  const [, digits = '', currency = ''] = found;
  return { currency, value: Number(digits.replace('−', '-').replaceAll(',', '')) };
}

function compare(one: Key, other: Key, sign: number): number {
  if (one.currency !== other.currency) return collator.compare(one.currency, other.currency);
  if (typeof one.value === 'number' && typeof other.value === 'number') return sign * (one.value - other.value);
  return sign * collator.compare(String(one.value), String(other.value));
}
