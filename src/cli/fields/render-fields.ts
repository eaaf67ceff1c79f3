import { unreachable } from '../../domain/errors.ts';
import type { TextLayout } from '../../report/text-layout.ts';
import type { FoundFields, Reference } from './find-fields.ts';
import { renderField } from './render-field.ts';
import { renderGroup, renderResource } from './render-resource.ts';
import { renderResources } from './render-resources.ts';
import { renderSearch } from './render-search.ts';
import type { FieldSearch } from './search-fields.ts';

/** For people. Lines fit the width, except for names that are longer than that: names are never cut. */
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
      return renderGroup(answer.group, reference, layout);
    case 'field':
      return renderField(answer.field, reference, layout);
    case 'search':
      return renderSearch(answer, reference, layout);
    default:
      return unreachable(answer);
  }
}
