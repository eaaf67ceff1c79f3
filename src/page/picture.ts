import { type ChartOptions, type ChartSeries, colourOf, drawn, type Size } from './charts.ts';
import { type Html, html, trusted } from './html.ts';
import { THEMES, type Theme } from './style.ts';

/** A chart of a picture; `height` is that of its drawing. */
export interface PicturePart extends Omit<ChartOptions, 'table' | 'wide'> {
  readonly height: number;
}

const WIDTH = 860;
const MARGIN = 20;
const TITLE_HEIGHT = 34;
/** What stands above each drawing: its title and the key to its lines. */
const HEAD_HEIGHT = 48;
/** So many pixels a letter of the key is given. */
const LETTER = 7;

/**
 * Charts below each other as one SVG file that needs no page: its colours are those of the light theme, on paper. For
 * documents that show pictures and take no markup.
 */
export function picture(title: string, parts: readonly PicturePart[]): string {
  let top = TITLE_HEIGHT;
  const blocks = parts.map((part) => {
    const block = partAt(part, top);
    top += HEAD_HEIGHT + part.height;
    return block;
  });
  const [width, height] = [WIDTH, top + MARGIN];
  const label = `${title}. ${parts.map((part) => `${part.title}: ${part.summary}`).join(' ')}`;
  const { markup } =
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}" font-family="system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif" font-size="12">
<title>${title}</title>
<rect width="${width}" height="${height}" fill="var(--paper)"/>
<text x="${MARGIN}" y="24" font-size="16" font-weight="600" fill="var(--ink)">${title}</text>
${blocks}</svg>
`;
  return coloured(markup, THEMES.light);
}

function partAt({ height, ...part }: PicturePart, top: number): Html {
  const size: Size = { width: WIDTH - 2 * MARGIN, height };
  const unit = part.unit === '' ? '' : `, ${part.unit}`;
  const placed = html`<svg x="${MARGIN}" y="${top + HEAD_HEIGHT}" width="${size.width}" height="${height}" `;
  const drawing = drawn(part, size, '').markup.replace('<svg ', placed.markup);
  return html`<text x="${MARGIN}" y="${top + 18}" font-weight="600" fill="var(--ink)">${part.title}${unit}</text>
${keyAt(part, top + 38)}${trusted(drawing)}`;
}

function keyAt({ series, kind }: Omit<ChartOptions, 'table'>, y: number): Html[] {
  let x = MARGIN;
  return series.map((one, index) => {
    const mark = html`${markOf(one, kind, x, y, colourOf(index))}<text x="${x + 28}" y="${y}" fill="var(--muted)">${one.name}</text>\n`;
    x += 28 + one.name.length * LETTER + 16;
    return mark;
  });
}

function markOf({ dashed }: ChartSeries, kind: ChartOptions['kind'], x: number, y: number, colour: string): Html {
  if (kind !== 'line') return html`<path d="M${x} ${y - 9}h20v9h-20Z" fill="${colour}"/>`;
  return html`<path d="M${x} ${y - 4}h22" fill="none" stroke="${colour}" stroke-width="3"${dashed === true && html` stroke-dasharray="6 4"`}/>`;
}

function coloured(markup: string, theme: Theme): string {
  const colours = new Map(Object.entries(theme));
  return markup
    .replace(/var\(--(\w+)\)/g, (found, name: string) => colours.get(name) ?? found)
    .replaceAll('font-family:inherit', '');
}
