import { unreachable } from '../../domain/errors.ts';
import { type CatalogueField, type CatalogueResource, ownerOf } from '../../gaql/catalogue/catalogue.ts';
import {
  FIELD_COLUMNS,
  type FoundNames,
  MATCH_COLUMNS,
  RESOURCE_COLUMNS,
  type ShownField,
  type ShownResource,
} from '../../views/fields.ts';
import type { Column } from '../../views/kit/column.ts';
import { jsonObject } from '../../views/kit/json.ts';
import { type FoundFields, formerName, offering, type Reference } from './find-fields.ts';
import { type FieldMatch, type FieldSearch, matchingConstants, sentences, sentenceWith } from './search-fields.ts';

/**
 * The answer as rows and as JSON: one object, `catalogue` first. What follows depends on what was asked for:
 *
 * - nothing: `resources`, each `{ name, description, attributes, segments, metrics }` with counts of what can be selected;
 * - a resource: `resource`, `description`, `key`, `attributed` and `split_by` (resources whose attributes can be selected,
 *   without and with splitting its rows), `fields`;
 * - `metrics`, `segments` or a message: `group` (its name), `fields`;
 * - a field: `field`, an object as in `fields`, with `former_name`, `from` (resources) and `splits_rows_of` beside the rest;
 * - a search: `search`, `within` (null: everything), `fields`, each with `matched` (`name`, `description` or `constant`)
 *   beside the rest, best first, `resources` as above; when nothing was found, `nearest` (what may have been meant) and
 *   `elsewhere` (how many fields outside of `within` have it).
 */
export function foundNames(answer: FoundFields | FieldSearch, reference: Reference): FoundNames {
  const { catalogue, descriptions } = reference;
  const found = (rows: Partial<FoundNames>, json: object): FoundNames => ({
    fields: [],
    resources: [],
    ...rows,
    json: { catalogue: catalogue.name, ...json },
  });
  switch (answer.kind) {
    case 'resources': {
      const resources = answer.resources.map((resource) => shownResource(resource, reference));
      return found({ resources }, { resources: objects(RESOURCE_COLUMNS, resources) });
    }
    case 'resource': {
      const { name, key, attributed, segmentedBy } = answer.resource;
      const fields = answer.groups.flatMap((group) => group.fields).map((field) => shownField(field, reference));
      const json = {
        resource: name,
        description: descriptions.resources[name],
        key,
        attributed,
        split_by: segmentedBy,
      };
      return found({ fields }, { ...json, fields: objects(FIELD_COLUMNS, fields) });
    }
    case 'group': {
      const fields = answer.group.fields.map((field) => shownField(field, reference));
      return found({ fields }, { group: answer.group.name, fields: objects(FIELD_COLUMNS, fields) });
    }
    case 'field': {
      const field = shownField(answer.field, reference);
      return found(
        { fields: [field] },
        { field: { ...jsonObject(FIELD_COLUMNS, field), ...placeJson(answer.field, reference) } },
      );
    }
    case 'search': {
      const fields = answer.matches.map((match) => shownMatch(match, answer.word, reference));
      const resources = answer.resources.map((resource) => shownResource(resource, reference));
      return found(
        { fields, resources },
        {
          search: answer.word,
          within: answer.within,
          fields: objects(MATCH_COLUMNS, fields),
          resources: objects(RESOURCE_COLUMNS, resources),
          nearest: answer.nearest,
          elsewhere: answer.elsewhere,
        },
      );
    }
    default:
      return unreachable(answer);
  }
}

/** The field as lists show it. */
export function shownField(field: CatalogueField, { descriptions }: Reference): ShownField {
  const description = descriptions.fields[field.name];
  return { field, description, words: sentences(description ?? '')[0] ?? '' };
}

/** The same with the part of it that has the word, for it may be the only one that fits the line. */
export function shownMatch({ field, matched }: FieldMatch, word: string, reference: Reference): ShownField {
  const shown = { ...shownField(field, reference), matched };
  if (matched === 'constant') return { ...shown, words: matchingConstants(word, field).join(', ') };
  return matched === 'description' ? { ...shown, words: sentenceWith(word, shown.description ?? '') } : shown;
}

/** The resource with the first sentence that has the word, if one is searched for. */
export function shownResource(
  resource: CatalogueResource,
  { catalogue, descriptions }: Reference,
  word?: string,
): ShownResource {
  const description = descriptions.resources[resource.name];
  const all = description ?? '';
  const words = word === undefined ? (sentences(all)[0] ?? '') : sentenceWith(word, all);
  return { resource, catalogue, description, words };
}

function objects<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): object[] {
  return rows.map((row) => jsonObject(columns, row));
}

function placeJson(field: CatalogueField, { catalogue }: Reference) {
  const resources = offering(field, catalogue);
  const splitting = resources.filter(({ segmentedBy }) => segmentedBy.includes(ownerOf(field.name)));
  return {
    former_name: formerName(field)?.name,
    from: resources.map(({ name }) => name),
    splits_rows_of: splitting.map(({ name }) => name),
  };
}
