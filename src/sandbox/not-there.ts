import type { Diagnostic } from '../domain/diagnostic.ts';
import { type Catalogue, isSelectable } from '../gaql/catalogue/catalogue.ts';
import { SPECIFICATION_CATALOGUE } from '../gaql/catalogue/specification-catalogue.ts';
import type { Query } from '../gaql/syntax/tree.ts';
import { SANDBOX_CATALOGUE } from './sandbox-catalogue.ts';

/** What can be asked of the sandbox. */
export function offered(strict: boolean): Catalogue {
  return strict ? SPECIFICATION_CATALOGUE : SANDBOX_CATALOGUE;
}

/** The resources that there are, for people. */
export function resourceNames({ resources }: Catalogue): string {
  return [...resources.keys()].join(', ');
}

/** A note on what a checked query asks for and the sandbox does not have, at the first place; undefined where it has all. */
export function notThere({ select, from, where, orderBy }: Query, strict: boolean): Diagnostic | undefined {
  if (!from) return undefined;
  const catalogue = offered(strict);
  const resource = catalogue.resources.get(from.name);
  if (!resource) {
    return {
      code: 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE',
      severity: 'note',
      span: from.span,
      message: `The sandbox has no resource "${from.name}", only ${resourceNames(catalogue)}.`,
      hint: 'A live service may have it: target: live in pacekeeper.yaml.',
    };
  }
  const asked = [...select, ...[...where, ...orderBy].map(({ field }) => field)];
  const lacking = asked.filter(({ name }) => {
    const field = catalogue.fields.get(name);
    return !field || !isSelectable(resource, field);
  });
  const [first] = lacking;
  const names = [...new Set(lacking.map(({ name }) => name))];
  return (
    first && {
      code: 'UNRECOGNIZED_FIELD',
      severity: 'note',
      span: first.span,
      message: `The sandbox does not have ${names.join(', ')} for ${from.name}.`,
      hint: `A live service may have ${names.length === 1 ? 'it' : 'them'}: target: live in pacekeeper.yaml.`,
    }
  );
}
