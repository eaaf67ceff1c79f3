import type { CatalogueResource } from '../../gaql/catalogue/catalogue.ts';
import { count, type TextLayout } from '../../report/text-layout.ts';
import { textTable } from '../../report/text-table.ts';
import { wrapText } from '../../report/wrap-text.ts';
import { FIELD_COLUMNS } from '../../views/fields.ts';
import type { FieldGroup, Reference } from './find-fields.ts';
import { shownField } from './found-names.ts';
import { nameTable } from './name-table.ts';

/** What can be selected FROM the resource: the groups with their counts, then the fields of each. */
export function renderResource(
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
    `${bold(`What a query FROM ${name} can select`)}\n${contents(groups, width)}`,
    ...groups.map((group) => section(group, reference, layout)),
    ...closing(groups, width),
  ];
}

export function renderGroup(group: FieldGroup, reference: Reference, layout: TextLayout): readonly string[] {
  return [section(group, reference, layout), ...closing([group], layout.width)];
}

function keyText(key: readonly string[], hasSegments: boolean): string {
  if (key.length === 0) return `One row per account${hasSegments ? '; more where segments are selected' : ''}.`;
  const parts = hasSegments ? [...key, 'the segments that are selected'] : key;
  const last = parts.at(-1);
  return `Rows are told apart by ${parts.length === 1 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`}.`;
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
  // The titles are empty, and their line is not wanted.
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

/** How to go on, and what the lists do not tell. */
function closing(groups: readonly FieldGroup[], width: number): string[] {
  const fields = groups.flatMap((group) => group.fields);
  const withConstants = fields.filter(({ type }) => type === 'ENUM');
  const example = withConstants.find(({ name }) => name.endsWith('.status')) ?? withConstants[0] ?? fields[0];
  const lines = [
    `pacekeeper fields ${example?.name} shows the constants, operators and column of a field.`,
    'Not known offline: which fields WHERE and ORDER BY take, and which segments go with which metrics; pacekeeper check --online asks the service.',
  ];
  return [lines.map((line) => wrapText(line, width, '', '')).join('\n')];
}
