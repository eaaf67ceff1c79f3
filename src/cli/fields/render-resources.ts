import type { CatalogueResource } from '../../gaql/catalogue/catalogue.ts';
import type { TextLayout } from '../../report/text-layout.ts';
import { wrapText } from '../../report/wrap-text.ts';
import { countText, describedResource } from './described-field.ts';
import { describedList } from './described-list.ts';
import type { Reference } from './find-fields.ts';

/** All resources; those with metrics first, since reports are made of them. */
export function renderResources(
  resources: readonly CatalogueResource[],
  { catalogue, descriptions }: Reference,
  { width, bold }: TextLayout,
): readonly string[] {
  const block = (title: string, some: readonly CatalogueResource[]) => {
    const entries = some.map((resource) => describedResource(resource, descriptions.resources[resource.name] ?? ''));
    return some.length === 0 ? [] : [`${bold(title)}\n${describedList(entries, width)}`];
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
      `Catalogue ${catalogue.name}: ${countText(resources.length, 'resource')}; a query names one after FROM.`,
      width,
      '',
      '',
    ),
    ...block(`${countText(withMetrics.length, 'resource')} with metrics`, withMetrics),
    ...block(`${countText(without.length, 'resource')} without metrics`, without),
    wrapText(next.join('; '), width, '', ''),
  ];
}
