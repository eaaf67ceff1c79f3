import stringWidth from 'string-width';
import { unreachable } from '../../domain/errors.ts';
import { type CatalogueField, type CatalogueResource, ownerOf } from '../../language/gaql/catalogue/catalogue.ts';
import { operatorsOf } from '../../language/gaql/check/check-condition.ts';
import { columnOf } from '../../language/gaql/check/column.ts';
import type { Column } from '../../storage/columns/column.ts';
import { fieldColumns } from '../../storage/warehouse/publish/published-table.ts';
import { cellText } from '../../views/kit/cells.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { terminalTable } from '../../views/kit/terminal.ts';
import { count, firstOf, type TextLayout, wrapText } from '../../views/text/text-layout.ts';
import { textTable } from '../../views/text/text-table.ts';
import { FIELD_COLUMNS, RESOURCE_COLUMNS, shownField, shownMatch, shownResource, typeText } from './fields-view.ts';
import { type FieldGroup, type FoundFields, fieldsBelow, formerName, offering, type Reference } from './find-fields.ts';
import { type FieldSearch, MATCHED_IN } from './search-fields.ts';

export function renderFields(answer: FoundFields | FieldSearch, reference: Reference, layout: TextLayout): string {
  return `${blocksOf(answer, reference, layout).join('\n\n')}\n`;
}

function blocksOf(answer: FoundFields | FieldSearch, reference: Reference, layout: TextLayout): readonly string[] {
  switch (answer.kind) {
    case 'resources':
      return renderResources(answer.resources, reference, layout);
    case 'resource':
      return renderResource(answer.resource, answer.groups, reference, layout);
    case 'group':
      return [section(answer.group, reference, layout), ...closing([answer.group], layout.width)];
    case 'field':
      return renderField(answer.field, reference, layout);
    case 'search':
      return renderSearch(answer, reference, layout);
    default:
      return unreachable(answer);
  }
}

function renderField(field: CatalogueField, reference: Reference, { width, bold }: TextLayout): readonly string[] {
  const indented = (text: string) => wrapText(text, width, '  ', '  ');
  const former = formerName(field);
  const description = reference.descriptions.fields[field.name];
  const head = [bold(field.name)];
  if (former) head.push(indented(`Before ${former.until}, the name was ${former.name}.`));
  if (description !== undefined) head.push(indented(description));
  const facts = factsOf(field, reference).filter(([, text]) => text !== '');
  const titleWidth = Math.max(...facts.map(([title]) => stringWidth(title)));
  const rest = ' '.repeat(titleWidth + 4);
  const lines = facts.map(([title, text]) => wrapText(text, width, `  ${title.padEnd(titleWidth)}  `, rest));
  const blocks = [head.join('\n'), lines.join('\n')];
  if (field.filterable === undefined && operatorsOf(field).length > 0) blocks.push(wrapText(NOT_KNOWN, width, '', ''));
  return blocks;
}

const NOT_KNOWN =
  'The shipped catalogue does not say if WHERE and ORDER BY accept this field. Run pacekeeper catalogue refresh, or pacekeeper check --online to ask the service.';

function factsOf(field: CatalogueField, { catalogue }: Reference): (readonly [title: string, text: string])[] {
  const owner = ownerOf(field.name);
  const resources = byMetrics(offering(field, catalogue), owner);
  const splitting = resources.filter(({ segmentedBy }) => segmentedBy.includes(owner));
  const inner = fieldsBelow(field.name, catalogue).map(({ name }) => name);
  return [
    ['type', typeText(field)],
    ['role', field.role === 'attribute' ? `attribute of ${owner}` : ROLES[field.role]],
    ['constants', field.values.join(', ')],
    ['accepted in', clausesOf(field)],
    ['operators', operatorsOf(field).join(', ') || 'none: select only, no filter or sort'],
    ['column', columnText(field)],
    ['contains', inner.join(', ')],
    ['FROM', resourcesText(resources)],
    ['goes with', partnersText(field)],
    [
      'splits',
      splitting.length === 0 ? '' : `the rows of ${firstOf(splitting.map(nameOf), SPLITTING_SHOWN)}, as a segment does`,
    ],
  ];
}

function clausesOf({ selectable, filterable, sortable }: CatalogueField): string {
  if (filterable === undefined) return '';
  const clauses = [selectable && 'SELECT', filterable && 'WHERE', sortable && 'ORDER BY'].filter(Boolean);
  return clauses.join(', ') || 'no clause';
}

function partnersText({ selectableWith }: CatalogueField): string {
  if (selectableWith === undefined) return '';
  const segments = [...selectableWith].filter((name) => ownerOf(name) === 'segments');
  return `${count(selectableWith.size - segments.length, 'metric')} and ${count(segments.length, 'segment')}; --format json lists all`;
}

const ROLES = {
  metric: 'metric',
  segment: 'segment; selecting it splits the rows by value',
} as const;

function columnText(field: CatalogueField): string {
  const columns = fieldColumns(columnOf(field), '', () => undefined);
  const [own, amount] = columns.map(({ name, declared }) => `${name} (${declared})`);
  return amount === undefined ? `${own}` : `${own}, and ${amount} in units of the currency`;
}

const nameOf = ({ name }: CatalogueResource): string => name;

const RESOURCES_SHOWN = 12;
const SPLITTING_SHOWN = 6;

/** People use resources with many metrics most. */
function byMetrics(resources: readonly CatalogueResource[], owner: string): CatalogueResource[] {
  const weight = ({ name, metrics }: CatalogueResource) => (name === owner ? Number.MAX_SAFE_INTEGER : metrics.size);
  return [...resources].sort((a, b) => weight(b) - weight(a));
}

function resourcesText(resources: readonly CatalogueResource[]): string {
  const names = firstOf(resources.map(nameOf), RESOURCES_SHOWN);
  if (resources.length <= RESOURCES_SHOWN) return names;
  return `${count(resources.length, 'resource')}: ${names}; --format json lists all`;
}

function renderResource(
  { name, key, segments }: CatalogueResource,
  groups: readonly FieldGroup[],
  reference: Reference,
  layout: TextLayout,
): readonly string[] {
  const { width, bold } = layout;
  const description = reference.descriptions.resources[name];
  const intro = description === undefined ? [] : [wrapText(description, width, '  ', '  ')];
  return [
    [bold(name), ...intro, wrapText(keyText(key, segments.size > 0), width, '  ', '  ')].join('\n'),
    `${bold(`Selectable in a query FROM ${name}`)}\n${contents(groups, width)}`,
    ...groups.map((group) => section(group, reference, layout)),
    ...closing(groups, width),
  ];
}

function keyText(key: readonly string[], hasSegments: boolean): string {
  if (key.length === 0) return `One row per account${hasSegments ? '; more if you select segments' : ''}.`;
  const parts = hasSegments ? [...key, 'the selected segments'] : key;
  const last = parts.at(-1);
  return `A row is identified by ${parts.length === 1 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`}.`;
}

const COLUMNS = [
  { title: '', align: 'left' },
  { title: '', align: 'right' },
  { title: '', align: 'left', flexible: true },
] as const;

function contents(groups: readonly FieldGroup[], width: number): string {
  const rows = groups.map(({ name, fields, splitsRows }) => {
    const role = `${roleOf(name)}${fields.length === 1 ? '' : 's'}`;
    return [`  ${name}`, String(fields.length), splitsRows ? `${role}; selecting one splits the rows` : role];
  });
  return textTable(COLUMNS, rows, width).split('\n').slice(1).join('\n');
}

function section({ name, fields, splitsRows }: FieldGroup, reference: Reference, layout: TextLayout): string {
  const { width, bold } = layout;
  const splitting = splitsRows && name !== 'segments' ? '; selecting one splits the rows, as a segment does' : '';
  const list = nameTable(
    FIELD_COLUMNS,
    fields.map((field) => shownField(field, reference)),
    layout,
  );
  return `${bold(wrapText(`${name}: ${count(fields.length, roleOf(name))}${splitting}`, width, '', '  '))}\n${list}`;
}

function roleOf(group: string): string {
  if (group === 'metrics') return 'metric';
  return group === 'segments' ? 'segment' : 'attribute';
}

function closing(groups: readonly FieldGroup[], width: number): string[] {
  const fields = groups.flatMap((group) => group.fields);
  const withConstants = fields.filter(({ type }) => type === 'ENUM');
  const example = withConstants.find(({ name }) => name.endsWith('.status')) ?? withConstants[0] ?? fields[0];
  const lines = [`Run pacekeeper fields ${example?.name} to see the constants, operators and column of a field.`];
  if (fields.some(({ filterable }) => filterable === undefined)) lines.push(OPEN_POINTS);
  return [lines.map((line) => wrapText(line, width, '', '')).join('\n')];
}

const OPEN_POINTS =
  'The shipped catalogue does not say which fields WHERE and ORDER BY accept, and which segments go with which metrics. Run pacekeeper catalogue refresh, or pacekeeper check --online to ask the service.';

function renderResources(
  resources: readonly CatalogueResource[],
  reference: Reference,
  layout: TextLayout,
): readonly string[] {
  const { width, bold } = layout;
  const block = (title: string, some: readonly CatalogueResource[]) => {
    const rows = some.map((resource) => shownResource(resource, reference));
    return some.length === 0 ? [] : [`${bold(title)}\n${nameTable(RESOURCE_COLUMNS, rows, layout)}`];
  };
  const withMetrics = resources.filter(({ metrics }) => metrics.size > 0);
  const without = resources.filter(({ metrics }) => metrics.size === 0);
  const example = withMetrics.find(({ name }) => name === 'keyword_view') ?? resources[0];
  const next = [
    `Run pacekeeper fields ${example?.name} to see what a query FROM it can select`,
    'run pacekeeper fields --search cost to search names and descriptions.',
  ];
  return [
    wrapText(
      `Catalogue ${reference.catalogue.name}: ${count(resources.length, 'resource')}. A query names one after FROM.`,
      width,
      '',
      '',
    ),
    ...block(`${count(withMetrics.length, 'resource')} with metrics`, withMetrics),
    ...block(`${count(without.length, 'resource')} without metrics`, without),
    wrapText(next.join('; '), width, '', ''),
  ];
}

function renderSearch(search: FieldSearch, reference: Reference, layout: TextLayout): readonly string[] {
  const { word, within, resources, matches } = search;
  const { width, bold } = layout;
  if (resources.length + matches.length === 0) return nothingFound(search, reference, width);
  const found = [
    ...(resources.length === 0 ? [] : [count(resources.length, 'resource')]),
    count(matches.length, 'field'),
  ];
  const place = within ?? `catalogue ${reference.catalogue.name}`;
  const shownResources = resources.map((resource) => shownResource(resource, reference, word));
  return [
    wrapText(`${found.join(' and ')} in ${place} with ${JSON.stringify(word)}.`, width, '', ''),
    ...(resources.length === 0
      ? []
      : [`${bold(count(resources.length, 'resource'))}\n${nameTable(RESOURCE_COLUMNS, shownResources, layout)}`]),
    ...MATCHED_IN.flatMap((matchedIn) => {
      const some = matches.filter(({ matched }) => matched === matchedIn);
      const rows = some.map((match) => shownMatch(match, word, reference));
      const title = `${count(some.length, 'field')}, ${PLACES[matchedIn]}`;
      return some.length === 0 ? [] : [`${bold(title)}\n${nameTable(FIELD_COLUMNS, rows, layout)}`];
    }),
  ];
}

const PLACES = { name: 'by name', description: 'by description', constant: 'by constant' } as const;

function nothingFound({ word, within, nearest, elsewhere }: FieldSearch, { catalogue }: Reference, width: number) {
  const place = within ?? `catalogue ${catalogue.name}`;
  const lines = [`No name, description or constant in ${place} contains ${JSON.stringify(word)}.`];
  if (nearest.length > 0) lines.push(`Did you mean ${nearest.join(' or ')}?`);
  if (elsewhere > 0) {
    const command = `pacekeeper fields --search ${/\s/.test(word) ? JSON.stringify(word) : word}`;
    lines.push(`${count(elsewhere, 'field')} elsewhere: run ${command}.`);
  }
  return [lines.map((line) => wrapText(line, width, '', '')).join('\n')];
}

const BESIDE_WIDTH_MIN = 120;
const NAME_SHARE = 0.45;

function nameTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], layout: TextLayout): string {
  const names = sheetOf(columns, rows, 'people').rows.map(([name]) => stringWidth(cellText(name)));
  const isBelow = layout.width < BESIDE_WIDTH_MIN || Math.max(...names) > layout.width * NAME_SHARE;
  const placed = columns.map((column) => (column.key === 'description' ? { ...column, long: isBelow } : column));
  return terminalTable(sheetOf(placed, rows, 'people'), layout);
}
