import { count, type TextLayout } from '../../report/text-layout.ts';
import { wrapText } from '../../report/wrap-text.ts';
import { FIELD_COLUMNS, RESOURCE_COLUMNS } from '../../views/fields.ts';
import type { Reference } from './find-fields.ts';
import { shownMatch, shownResource } from './found-names.ts';
import { nameTable } from './name-table.ts';
import { type FieldSearch, MATCHED_IN } from './search-fields.ts';

/** What was found, by where the word stands; or what could have been meant. */
export function renderSearch(search: FieldSearch, reference: Reference, layout: TextLayout): readonly string[] {
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
    wrapText(`${found.join(' and ')} of ${place} with ${JSON.stringify(word)}.`, width, '', ''),
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
  const lines = [`Nothing of ${place} has ${JSON.stringify(word)} in its name, description or constants.`];
  if (nearest.length > 0) lines.push(`Did you mean ${nearest.join(' or ')}?`);
  if (elsewhere > 0) {
    const command = `pacekeeper fields --search ${/\s/.test(word) ? JSON.stringify(word) : word}`;
    lines.push(`${count(elsewhere, 'field')} elsewhere: ${command} shows them.`);
  }
  return [lines.map((line) => wrapText(line, width, '', '')).join('\n')];
}
