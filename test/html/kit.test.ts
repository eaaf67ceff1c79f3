import { describe, expect, it } from 'vitest';
import { chart } from '../../src/views/html/chart/chart.ts';
import { document } from '../../src/views/html/document.ts';
import { html } from '../../src/views/html/html.ts';
import { named, table } from '../../src/views/html/table.ts';
import { htmlFindings } from '../support/html-findings.ts';

const HOSTILE = [
  '<script>alert(1)</script>',
  '</svg><img src=x onerror=alert(1)>',
  ']]></style><script>alert(2)</script>',
  `quotes " and ' and \` & ampersands`,
  'right to left \u202e evil \u05e9\u05dc\u05d5\u05dd',
  ' class="s0" stays',
];

const charts = [false, true].map((bars) =>
  chart({
    title: `Spend $& ${HOSTILE[1]}`,
    summary: `Of ${HOSTILE[0]}.`,
    x: HOSTILE,
    unit: 'EUR"',
    series: [
      {
        name: HOSTILE[0] ?? '',
        values: [1, undefined, 3, 4.5, 5, 6],
        texts: HOSTILE,
        dashed: true,
        bars,
        marks: HOSTILE.map((words, index) => ({ index, words, label: words, href: '#B1' })),
        end: { value: HOSTILE[1], word: HOSTILE[2] ?? '' },
      },
      { name: HOSTILE[5] ?? '', values: [2, 2, 2, undefined, 2, 2], stepped: true },
    ],
    table: table({
      caption: HOSTILE[0] ?? '',
      columns: [{ title: '<b>Name' }, { title: 'Value', numeric: true }, { title: 'Why', long: true }],
      rows: HOSTILE.map((name, index) => [named(name), index, undefined]),
      foot: [['Sum', 15n, '']],
    }),
  }),
);
const page = document({
  title: 'A <title> & "more"',
  description: '"><script>',
  shell: html`<ul><li><a href="/" aria-current="page">Overview</a></li></ul>`,
  body: html`<h1>Head</h1>${charts}`,
});

describe('a page with hostile names', () => {
  it('contains no element from a name, in tables and charts', () => {
    expect(page).not.toMatch(/<script|<img|<b>Name/);
    expect(page.match(/<style/g)).toHaveLength(1);
    expect(page.match(/<\/svg>/g)).toHaveLength(page.match(/<svg/g)?.length ?? 0);
  });

  it('shows the names as they are', () => {
    expect(page).toContain('<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>');
    expect(page).toContain('<bdi>quotes &quot; and &#39; and ` &amp; ampersands</bdi>');
    expect(page).toContain('<bdi> class=&quot;s0&quot; stays</bdi>');
    expect(page).toContain('data-tip="&lt;script&gt;alert(1)&lt;/script&gt;\n');
    expect(page).toContain('aria-label="quotes &quot; and &#39; and ` &amp; ampersands"');
  });

  it('is valid and accessible HTML, as far as the validator can tell', async () => {
    expect(await htmlFindings(page)).toEqual([]);
  });

  it('names the column in each cell of a wide table, and keeps the roles that styles remove', () => {
    const wide = table({
      caption: 'Wide',
      columns: ['Name', 'One', 'Two', 'T"hree'].map((title) => ({ title })),
      rows: [['a', 1, 2, 3]],
    }).markup;
    expect(wide).toMatch(/<td role="cell" data-label="T&quot;hree"[^>]*>3<\/td>/);
    expect(wide.match(/ role="(table|rowgroup|row|columnheader|rowheader|cell)"/g)).toHaveLength(1 + 2 + 2 + 4 + 1 + 3);
    expect(page).not.toContain('data-label=');
  });

  it('folds the least important columns first, and never an act', () => {
    const columns = [
      { title: 'Budget' },
      { title: 'Amount', numeric: true, importance: 2 },
      { title: 'Why', long: true },
      { title: 'Run' },
      { title: 'Act', importance: 3 },
    ];
    const { markup } = table({
      caption: 'Changes',
      columns,
      rows: [['Tents', '60.00 EUR', 'x'.repeat(60), 7, 'Undo']],
    });
    const steps = [...markup.matchAll(/<th scope="col"[^>]*class="([^"]*)"[^>]*>(\w+)/g)].map(
      ([, names = '', title]) => [title, Number(/f(\d+)/.exec(names)?.[1] ?? 0)],
    );
    const of = Object.fromEntries(steps) as Readonly<Record<string, number>>;
    expect(of.Why).toBeGreaterThan(of.Amount ?? 99);
    expect(of.Run).toBeGreaterThan(of.Amount ?? 99);
    expect(of.Act).toBe(0);
    const { markup: whole } = html`${document({ title: 'x', body: html`<h1>x</h1>${{ markup }}` })}`;
    for (const step of new Set(steps.map(([, step]) => step))) {
      if (step !== 0) expect(whole).toContain(`td.f${step}{`);
    }
  });

  it('loads nothing', () => {
    expect(page).not.toMatch(/\b(?:src|srcset|href|action)="(?!\/|#|data:,)|url\(|@import|https?:/i);
  });
});
