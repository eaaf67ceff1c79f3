import type { TextLayout } from '../../report/text-layout.ts';
import { wrapText } from '../../report/wrap-text.ts';
import { countText, describedField, describedResource } from './described-field.ts';
import { type DescribedName, describedList } from './described-list.ts';
import type { Reference } from './find-fields.ts';
import { sentenceWith } from './match-words.ts';
import { type FieldMatch, type FieldSearch, MATCHED_IN, matchingConstants } from './search-fields.ts';

/** What was found, by where the word stands; or what could have been meant. */
export function renderSearch(
  search: FieldSearch,
  reference: Reference,
  { width, bold }: TextLayout,
): readonly string[] {
  const { word, within, resources, matches } = search;
  if (resources.length + matches.length === 0) return nothingFound(search, reference, width);
  const block = (title: string, entries: readonly DescribedName[]) =>
    entries.length === 0 ? [] : [`${bold(title)}\n${describedList(entries, width)}`];
  const found = resources.length === 0 ? [] : [countText(resources.length, 'resource')];
  found.push(countText(matches.length, 'field'));
  const { descriptions, catalogue } = reference;
  const resourceEntries = resources.map((resource) =>
    describedResource(resource, sentenceWith(word, descriptions.resources[resource.name] ?? '')),
  );
  return [
    wrapText(
      `${found.join(' and ')} of ${within ?? `catalogue ${catalogue.name}`} with ${JSON.stringify(word)}.`,
      width,
      '',
      '',
    ),
    ...block(countText(resources.length, 'resource'), resourceEntries),
    ...MATCHED_IN.flatMap((place) => {
      const some = matches.filter(({ matched }) => matched === place);
      return block(
        `${countText(some.length, 'field')}, ${PLACES[place]}`,
        some.map((match) => entryOf(match, word, reference)),
      );
    }),
  ];
}

const PLACES = { name: 'by name', description: 'by description', constant: 'by constant' } as const;

/** The part of it that has the word, for it may be the only one that fits the line. */
function entryOf({ field, matched }: FieldMatch, word: string, reference: Reference): DescribedName {
  const entry = describedField(field, reference);
  if (matched === 'constant') return { ...entry, description: matchingConstants(word, field).join(', ') };
  return matched === 'description' ? { ...entry, description: sentenceWith(word, entry.description) } : entry;
}

function nothingFound({ word, within, nearest, elsewhere }: FieldSearch, { catalogue }: Reference, width: number) {
  const place = within ?? `catalogue ${catalogue.name}`;
  const lines = [`Nothing of ${place} has ${JSON.stringify(word)} in its name, description or constants.`];
  if (nearest.length > 0) lines.push(`Did you mean ${nearest.join(' or ')}?`);
  if (elsewhere > 0) {
    const command = `pacekeeper fields --search ${/\s/.test(word) ? JSON.stringify(word) : word}`;
    lines.push(`${countText(elsewhere, 'field')} elsewhere: ${command} shows them.`);
  }
  return [lines.map((line) => wrapText(line, width, '', '')).join('\n')];
}
