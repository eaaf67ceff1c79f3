import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { civilDateAt } from '../../domain/civil-date.ts';
import { type Html, html, trusted } from './html.ts';
import { THEMES } from './tokens.ts';
import { shortDay } from './wording.ts';

/** `values` has one value for each `x`, or for each of its own `times`. An undefined value is a gap, never 0. */
interface ChartSeries {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
  /** In milliseconds since 1970. All series of a chart have times, or none has. With times, the chart is to scale. */
  readonly times?: readonly number[];
  readonly dashed?: boolean;
  /** True if each value lasts until the next value, as a budget does. */
  readonly stepped?: boolean;
  readonly marked?: readonly number[];
  readonly colour?: number;
}

/** `summary` is for screen readers. */
export interface ChartOptions {
  readonly title: string;
  readonly summary: string;
  readonly kind: 'line' | 'bar';
  readonly series: readonly ChartSeries[];
  readonly x: readonly string[];
  readonly unit: string;
  readonly table: Html;
  readonly wide?: boolean;
  readonly isBare?: boolean;
}

type Picture = Omit<ChartOptions, 'table'>;

export function chart(options: ChartOptions): Html {
  const { title, summary, unit, series, wide } = options;
  const hasValue = series.some(({ values }) => values.some((value) => value !== undefined));
  return html`<figure>
<figcaption>${title}</figcaption>
<p class="note">${summary}${unit !== '' && ` In ${unit}.`}</p>
${series.length > 1 && keyOf(options)}${hasValue ? drawings(options, wide === true) : html`<p class="none">No known values to draw.</p>\n`}<details><summary>Table: ${title}</summary>
${options.table}</details>
</figure>
`;
}

export function smallChart(options: Picture): Html {
  return drawn({ ...options, isBare: true }, SMALL, 'small');
}

const SMALL = { width: 150, height: 44 };
const WIDE = { width: 1060, height: 260 };
const NARROW = { width: 440, height: 230 };

function drawings({ table: _, ...options }: ChartOptions, wide: boolean): Html[] {
  if (!wide) return [drawn(options, NARROW, '')];
  return [drawn(options, WIDE, 'wide'), drawn(options, NARROW, 'narrow')];
}

interface Size {
  readonly width: number;
  readonly height: number;
}

use([BarChart, LineChart, GridComponent, SVGRenderer]);

/** A cache, because drawing is the slowest step of a page. */
const known = new Map<string, Html>();
const KNOWN_MAX = 100;

function drawn(options: Picture, size: Size, className: string): Html {
  const key = JSON.stringify([options, size, className]);
  const drawing = known.get(key) ?? draw(options, size, className);
  known.delete(key);
  known.set(key, drawing);
  if (known.size > KNOWN_MAX) known.delete(known.keys().next().value ?? '');
  return drawing;
}

function draw(options: Picture, { width, height }: Size, className: string): Html {
  const drawing = init(null, null, { renderer: 'svg', ssr: true, width, height });
  drawing.setOption(pictureOf(options));
  const markup = drawing.renderToSVGString();
  drawing.dispose();
  const label = `${options.title}. ${options.summary}`;
  const named = html`<svg viewBox="0 0 ${width} ${height}"${className !== '' && html` class="${className}"`} role="img" aria-label="${label}">`;
  // The library escapes `<` in texts, so every match is a tag.
  const lines = markup
    .replace(/<style[\s>][\s\S]*?<\/style>|<defs[\s>][\s\S]*?<\/defs>/g, '')
    .replace(/<[^>]*>/g, (tag) =>
      tag.replace(/ (?:class|ecmeta_\w+|pointer-events|clip-path|xmlns(?::\w+)?)="[^"]*"/g, ''),
    )
    .replace(/<svg[^>]*>/, () => named.markup)
    .split('\n');
  return html`${trusted(lines.map((line) => line.trim()).join(''))}\n`;
}

const SERIES_COLOURS = ['var(--chart-1)', 'var(--chart-2)', 'var(--chart-3)', 'var(--chart-4)'] as const;
const colourOf = (index: number): string => SERIES_COLOURS[index % SERIES_COLOURS.length] ?? SERIES_COLOURS[0];

function keyOf({ series, kind }: ChartOptions): Html {
  const marks = series.map(({ name, dashed, colour }, index) => {
    const own = colourOf(colour ?? index);
    const mark =
      kind === 'line'
        ? html`<path d="M0 5H24" fill="none" stroke="${own}" stroke-width="3"${dashed === true && html` stroke-dasharray="6 4"`}/>`
        : html`<path d="M2 0H22V10H2Z" fill="${own}"/>`;
    return html`<li><svg viewBox="0 0 24 10" aria-hidden="true">${mark}</svg>${name}</li>`;
  });
  return html`<ul class="key">${marks}</ul>\n`;
}

function pictureOf({ kind, series, x, isBare = false }: Picture): Parameters<ReturnType<typeof init>['setOption']>[0] {
  const text = { color: 'var(--text-3)', fontSize: 12, fontFamily: 'inherit' };
  const isTimed = series.some(({ times }) => times !== undefined);
  return {
    animation: false,
    backgroundColor: 'transparent',
    textStyle: text,
    grid: isBare
      ? { left: 4, right: 4, top: 5, bottom: 5 }
      : { left: 2, right: 34, top: 14, bottom: 2, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
    xAxis: {
      show: !isBare,
      ...(isTimed
        ? { type: 'value' as const, ...DAY_AXIS }
        : { type: 'category' as const, data: [...x], boundaryGap: kind !== 'line' }),
      axisTick: { show: false },
      axisLine: { lineStyle: { color: 'var(--grid)' } },
      axisLabel: { ...text, hideOverlap: true, ...(isTimed ? DAY_LABEL : {}) },
    },
    yAxis: {
      show: !isBare,
      type: 'value',
      splitNumber: 4,
      ...(series.every(({ values }) => values.every(isWhole)) ? { minInterval: 1 } : {}),
      axisLine: { show: false },
      axisTick: { show: false },
      splitLine: { lineStyle: { color: 'var(--grid)' } },
      axisLabel: { ...text, formatter: (value: number) => SHORT.format(value), hideOverlap: true },
    },
    series: series.map(({ values, times, dashed, stepped, marked, name, colour: own }, place) => {
      const colour = colourOf(own ?? place);
      const data = values.map((value, index) =>
        times === undefined ? (value ?? '-') : [(times[index] ?? 0) / DAY_MS, value ?? '-'],
      );
      const common = { name, data, silent: true };
      if (kind !== 'line') {
        return {
          ...common,
          type: 'bar' as const,
          barMaxWidth: 26,
          clip: false,
          itemStyle: { color: colour },
        };
      }
      return {
        ...common,
        type: 'line' as const,
        clip: false,
        symbol: 'circle',
        symbolSize: 4,
        // Without points, a single day between unknown days would be invisible.
        showSymbol: values.length <= 62 && dashed !== true && !isBare,
        ...(marked === undefined ? {} : dotsAt(data, marked)),
        ...(stepped === true ? { step: 'end' as const } : {}),
        itemStyle: { color: colour },
        lineStyle: {
          color: colour,
          width: 2,
          type: dashed === true ? ('dashed' as const) : ('solid' as const),
        },
      };
    }),
  };
}

const isWhole = (value: number | undefined): boolean => value === undefined || Number.isInteger(value);

const DAY_MS = 86_400_000;

/** In days, so that the marks are whole days apart. */
const DAY_AXIS = {
  min: 'dataMin',
  max: 'dataMax',
  minInterval: 1,
  splitNumber: 8,
  splitLine: { show: false },
} as const;
const DAY_LABEL = {
  formatter: (day: number) => shortDay(civilDateAt(day * DAY_MS, 'UTC')),
  showMinLabel: false,
  showMaxLabel: false,
};

function dotsAt(data: readonly (string | number | (string | number)[])[], marked: readonly number[]) {
  const places = new Set(marked);
  return {
    showSymbol: true,
    showAllSymbol: true,
    symbolSize: 9,
    data: data.map((value, place) => ({ value, symbol: places.has(place) ? 'circle' : 'none' })),
  };
}

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });

export interface PicturePart extends Omit<ChartOptions, 'table' | 'wide'> {
  readonly height: number;
}

const WIDTH = 860;
const MARGIN = 20;
const TITLE_HEIGHT = 34;
const HEAD_HEIGHT = 48;
/** The estimated width of a letter in pixels. */
const LETTER = 7;

/** For documents that accept pictures but no markup. */
export function picture(title: string, parts: readonly PicturePart[]): string {
  let top = TITLE_HEIGHT;
  const blocks = parts.map((part) => {
    const block = partAt(part, top);
    top += HEAD_HEIGHT + part.height;
    return block;
  });
  const height = top + MARGIN;
  const label = `${title}. ${parts.map((part) => `${part.title}: ${part.summary}`).join(' ')}`;
  const { markup } =
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${label}" font-family="system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif" font-size="12">
<title>${title}</title>
<rect width="${WIDTH}" height="${height}" fill="var(--surface)"/>
<text x="${MARGIN}" y="24" font-size="16" font-weight="600" fill="var(--text)">${title}</text>
${blocks}</svg>
`;
  return markup
    .replace(/var\(--([\w-]+)\)/g, (found, name: string) => COLOURS.get(name) ?? found)
    .replaceAll('font-family:inherit', '');
}

const COLOURS: ReadonlyMap<string, string> = new Map(Object.entries(THEMES.light));

function partAt({ height, ...part }: PicturePart, top: number): Html {
  const size: Size = { width: WIDTH - 2 * MARGIN, height };
  const unit = part.unit === '' ? '' : `, ${part.unit}`;
  const placed = html`<svg x="${MARGIN}" y="${top + HEAD_HEIGHT}" width="${size.width}" height="${height}" `;
  const drawing = drawn(part, size, '').markup.replace('<svg ', placed.markup);
  return html`<text x="${MARGIN}" y="${top + 18}" font-weight="600" fill="var(--text)">${part.title}${unit}</text>
${keyAt(part, top + 38)}${trusted(drawing)}`;
}

function keyAt({ series, kind }: Picture, y: number): Html[] {
  let x = MARGIN;
  return series.map(({ name, dashed }, index) => {
    const colour = colourOf(index);
    const mark =
      kind === 'line'
        ? html`<path d="M${x} ${y - 4}h22" fill="none" stroke="${colour}" stroke-width="3"${dashed === true && html` stroke-dasharray="6 4"`}/>`
        : html`<path d="M${x} ${y - 9}h20v9h-20Z" fill="${colour}"/>`;
    const named = html`${mark}<text x="${x + 28}" y="${y}" fill="var(--text-3)">${name}</text>\n`;
    x += 28 + name.length * LETTER + 16;
    return named;
  });
}
