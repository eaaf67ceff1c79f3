import type { CatalogueResource } from '../../gaql/catalogue/catalogue.ts';
import { count, type TextLayout } from '../../report/text-layout.ts';
import { wrapText } from '../../report/wrap-text.ts';
import { RESOURCE_COLUMNS } from '../../views/fields.ts';
import type { Reference } from './find-fields.ts';
import { shownResource } from './found-names.ts';
import { nameTable } from './name-table.ts';

/** All resources; those with metrics first, since reports are made of them. */
export function renderResources(
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
    `pacekeeper fields ${example?.name} shows what a query FROM it can select`,
    'pacekeeper fields --search cost finds a word in names and descriptions.',
  ];
  return [
    wrapText(
      `Catalogue ${reference.catalogue.name}: ${count(resources.length, 'resource')}; a query names one after FROM.`,
      width,
      '',
      '',
    ),
    ...block(`${count(withMetrics.length, 'resource')} with metrics`, withMetrics),
    ...block(`${count(without.length, 'resource')} without metrics`, without),
    wrapText(next.join('; '), width, '', ''),
  ];
}
