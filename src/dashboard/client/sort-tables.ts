const ROWS_MIN = 3;
const collator = new Intl.Collator('en', { numeric: true });

/** The headings of wide tables sort their rows: numbers from the highest, texts from A. Rows without a value stay last. */
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
    const keyed = [...body.rows].map((row) => ({ row, key: keyOf(row.cells[index], isNumeric) }));
    const known = keyed.filter(({ key }) => key !== undefined);
    known.sort((one, other) => sign * compare(one.key, other.key));
    body.append(...[...known, ...keyed.filter(({ key }) => key === undefined)].map(({ row }) => row));
  });
}

function nextDirection(heading: Element, isNumeric: boolean): 'ascending' | 'descending' {
  const now = heading.getAttribute('aria-sort');
  if (now === null) return isNumeric ? 'descending' : 'ascending';
  return now === 'ascending' ? 'descending' : 'ascending';
}

/** Undefined for a cell without a value. A number is the first of its cell: notes follow it. */
function keyOf(cell: HTMLTableCellElement | undefined, isNumeric: boolean): number | string | undefined {
  const text = cell?.querySelector('time')?.dateTime ?? cell?.textContent?.trim() ?? '';
  if (text === '' || text === '–') return undefined;
  if (!isNumeric) return text;
  const found = /[-−]?\d[\d,]*(?:\.\d+)?/.exec(text)?.[0];
  return found === undefined ? undefined : Number(found.replace('−', '-').replaceAll(',', ''));
}

function compare(one: number | string | undefined, other: number | string | undefined): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return collator.compare(String(one), String(other));
}
