import stringWidth from 'string-width';
import { type CatalogueField, type CatalogueResource, ownerOf } from '../../gaql/catalogue/catalogue.ts';
import { operatorsOf } from '../../gaql/check/check-condition.ts';
import { columnOf } from '../../gaql/check/column.ts';
import { count, type TextLayout } from '../../report/text-layout.ts';
import { wrapText } from '../../report/wrap-text.ts';
import { typeText } from '../../views/fields.ts';
import { fieldColumns } from '../../warehouse/published-columns.ts';
import { fieldsBelow, formerName, offering, type Reference } from './find-fields.ts';

/** Everything about one field. */
export function renderField(
  field: CatalogueField,
  reference: Reference,
  { width, bold }: TextLayout,
): readonly string[] {
  const indented = (text: string) => wrapText(text, width, '  ', '  ');
  const former = formerName(field);
  const description = reference.descriptions.fields[field.name];
  const head = [bold(field.name)];
  if (former) head.push(indented(`Before ${former.until} its name was ${former.name}.`));
  if (description !== undefined) head.push(indented(description));
  const facts = factsOf(field, reference).filter(([, text]) => text !== '');
  const titleWidth = Math.max(...facts.map(([title]) => stringWidth(title)));
  const rest = ' '.repeat(titleWidth + 4);
  const lines = facts.map(([title, text]) => wrapText(text, width, `  ${title.padEnd(titleWidth)}  `, rest));
  const blocks = [head.join('\n'), lines.join('\n')];
  if (operatorsOf(field).length > 0) blocks.push(wrapText(NOT_KNOWN, width, '', ''));
  return blocks;
}

const NOT_KNOWN = 'Not known offline: whether WHERE and ORDER BY take it; pacekeeper check --online asks the service.';

/** An empty text where the field has nothing of that kind. */
function factsOf(field: CatalogueField, { catalogue }: Reference): (readonly [title: string, text: string])[] {
  const owner = ownerOf(field.name);
  const resources = byMetrics(offering(field, catalogue), owner);
  const splitting = resources.filter(({ segmentedBy }) => segmentedBy.includes(owner));
  const inner = fieldsBelow(field.name, catalogue).map(({ name }) => name);
  return [
    ['type', typeText(field)],
    ['role', field.role === 'attribute' ? `attribute of ${owner}` : ROLES[field.role]],
    ['constants', field.values.join(', ')],
    ['operators', operatorsOf(field).join(', ') || 'none: it can be selected, not filtered or ordered by'],
    ['column', columnText(field)],
    ['contains', inner.join(', ')],
    ['FROM', resourcesText(resources)],
    ['splits', splitting.length === 0 ? '' : `the rows of ${firstOf(splitting, SPLITTING_SHOWN)}, as a segment does`],
  ];
}

const ROLES = {
  metric: 'metric',
  segment: 'segment; selecting it splits the rows, one for each of its values',
} as const;

/** Its column in the query's table, and the one with the amount in currency units beside micros. */
function columnText(field: CatalogueField): string {
  const columns = fieldColumns(columnOf(field), '', () => undefined);
  const [own, amount] = columns.map(({ name, declared }) => `${name} (${declared})`);
  return amount === undefined ? `${own}` : `${own}, and ${amount} in units of the currency`;
}

const RESOURCES_SHOWN = 12;
const SPLITTING_SHOWN = 6;

/** The field's own resource first, then those with most metrics: what people report on most. */
function byMetrics(resources: readonly CatalogueResource[], owner: string): CatalogueResource[] {
  const weight = ({ name, metrics }: CatalogueResource) => (name === owner ? Number.MAX_SAFE_INTEGER : metrics.size);
  return [...resources].sort((a, b) => weight(b) - weight(a));
}

function resourcesText(resources: readonly CatalogueResource[]): string {
  const names = firstOf(resources, RESOURCES_SHOWN);
  if (resources.length <= RESOURCES_SHOWN) return names;
  return `${count(resources.length, 'resource')}: ${names}; --format json lists all`;
}

function firstOf(resources: readonly CatalogueResource[], shownMax: number): string {
  const names = resources.map(({ name }) => name);
  if (names.length <= shownMax) return names.join(', ');
  return `${names.slice(0, shownMax).join(', ')} and ${names.length - shownMax} more`;
}
