export interface PageTable {
  readonly caption: string;
  /** By the title of the column. Notes under a value are left out. */
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** The notes under the values of `rows`. */
  readonly notes: PageTable['rows'];
}

/** What people read in the tables of a page. */
export function pageTables(html: string): PageTable[] {
  return [...html.matchAll(/<table[\s\S]*?<\/table>/g)].map(([table]) => {
    const titles = [...table.matchAll(/<th scope="col"[^>]*>([\s\S]*?)<\/th>/g)].map(([, title = '']) =>
      wordsIn(title),
    );
    const rows = [...table.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].slice(1);
    const read = (textOf: (cell: string) => string) =>
      rows.map(([, row = '']) => {
        const cells = [...row.matchAll(/<(?:td|th scope="row")[^>]*>([\s\S]*?)<\/t[dh]>/g)];
        return Object.fromEntries(cells.map(([, cell = ''], index) => [titles[index] ?? '', textOf(cell)]));
      });
    return {
      caption: wordsIn(/<caption>([\s\S]*?)<\/caption>/.exec(table)?.[1] ?? ''),
      rows: read(wordsIn),
      notes: read((cell) => wordsIn(/<br><span class="note">([\s\S]*)<\/span>$/.exec(cell)?.[1] ?? '')),
    };
  });
}

export function tableOf(html: string, caption: RegExp): PageTable['rows'] {
  return namedTable(html, caption).rows;
}

export function namedTable(html: string, caption: RegExp): PageTable {
  const found = pageTables(html).find((table) => caption.test(table.caption));
  if (found === undefined) throw new Error(`The page has no table ${caption}.`);
  return found;
}

function wordsIn(html: string): string {
  return html
    .replaceAll(/<svg[\s\S]*?<\/svg>|<br><span class="note">[\s\S]*?<\/span>$/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
