/** How a column of a table behaves where the table is too wide. Widths are in `ch`, the width of the digit 0. */
export interface Foldable {
  readonly title: string;
  readonly width: number;
  /** 0 folds first, 3 never. Among equals, the rightmost folds first. */
  readonly importance: number;
}

const STEP = 4;
/** The widest page is narrower than the last step. */
const STEPS_MAX = 60;
const FOLDED_MIN = 18;
const FOLDED_MAX = 26;

/** For each column, the step below which it folds. 0 for a column that never folds. */
export function foldingSteps(columns: readonly Foldable[]): readonly number[] {
  const steps = columns.map(() => 0);
  const folded = new Set<number>();
  const inOrder = columns
    .map(({ importance }, index) => ({ importance, index }))
    .slice(1)
    .filter(({ importance }) => importance < 3)
    .sort((one, other) => one.importance - other.importance || other.index - one.index);
  let least = Number.POSITIVE_INFINITY;
  for (const { index } of inOrder) {
    least = Math.min(least, widthWith(columns, folded));
    steps[index] = Math.min(STEPS_MAX, Math.ceil(least / STEP));
    folded.add(index);
  }
  return steps;
}

/** Folded neighbours share one cell. If the second column folds, they share the cell of the first. */
function widthWith(columns: readonly Foldable[], folded: ReadonlySet<number>): number {
  let sum = 0;
  let shared = 0;
  for (const [index, { title, width }] of columns.entries()) {
    if (folded.has(index)) {
      shared = Math.max(shared, FOLDED_MIN, Math.min(FOLDED_MAX, title.length + width));
    } else if (index === 0 && folded.has(1)) {
      shared = width;
    } else {
      sum += shared + width;
      shared = 0;
    }
  }
  return sum + shared;
}

export const foldClass = (step: number) => `f${step}`;
/** The type of headings is smaller than that of cells. */
const headingWidth = (width: number) => `${(width * 1.1).toFixed(1)}ch`;

/** A column gets at least this width. */
export const widthClass = (width: number) => `w${width}`;

/** The rules for the classes that a page uses. Not for phones and paper. */
export function foldingRules(markup: string): string {
  const used = (pattern: RegExp) => {
    const numbers = new Set([...markup.matchAll(pattern)].map(([, number]) => Number(number)));
    return [...numbers].sort((one, other) => one - other);
  };
  const widths = used(/ class="(?:[a-z]+ )?w(\d+)/g).map((width) => `.w${width}{min-width:${headingWidth(width)}}`);
  const steps = used(/ class="(?:[^"]* )?f(\d+)"/g).map(rulesOf);
  return `@media screen and (min-width:37.51rem){
.scroll{container-type:inline-size}
${[...widths, ...steps].join('\n')}
}`;
}

/**
 * A folded cell is no table cell for the browser, so the browser wraps folded neighbours in one cell. Their headings and
 * empty values take no place, but keep that cell in every row.
 */
function rulesOf(step: number): string {
  const name = foldClass(step);
  return `@container not (min-width:${step * STEP}ch){
th.${name}{display:block}
td.${name}{display:inline-block;max-width:100%;padding:0 .5rem .2rem;vertical-align:top;text-align:left;white-space:normal}
td.long.${name}{display:block}
td.${name}::before{content:attr(data-label) " ";color:var(--text-3);font-weight:400}
thead .${name}:not(:first-child),td.empty.${name}{display:block;height:0;min-width:${FOLDED_MIN}ch;padding:0;overflow:hidden;contain:layout}
}`;
}
