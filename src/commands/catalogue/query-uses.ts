import { existsSync } from 'node:fs';
import { filesIn, nameOf, QUERY_ENDINGS, readText } from '../../engine/load-inputs.ts';
import { type Catalogue, isSelectable, ownerOf, renamedField } from '../../language/gaql/catalogue/catalogue.ts';
import { parseQuery } from '../../language/gaql/syntax/parse-query.ts';

export interface QueryUse {
  readonly query: string;
  readonly resource: string | undefined;
  readonly fields: readonly string[];
}

export function queryUses(folder: string): QueryUse[] {
  if (!existsSync(folder)) return [];
  return filesIn(folder, QUERY_ENDINGS, 'queries').map((path) => {
    const { select, from, where, orderBy } = parseQuery(readText(path).source).tree;
    const aliases = new Set(select.flatMap(({ alias }) => alias?.name ?? []));
    const others = [...where, ...orderBy].map(({ field }) => field.name).filter((name) => !aliases.has(name));
    const fields = [...new Set([...select.map(({ name }) => name), ...others])];
    return { query: nameOf(path), resource: from?.name, fields };
  });
}

export function isUsedBy(name: string, { resource, fields }: QueryUse): boolean {
  return name === resource || fields.some((field) => field === name || ownerOf(field) === name);
}

export interface MissingName {
  readonly query: string;
  readonly name: string;
  readonly problem: 'unknown' | 'renamed' | 'not offered';
  readonly instead: string | undefined;
}

export function missingNames(uses: readonly QueryUse[], { resources, fields }: Catalogue): MissingName[] {
  return uses.flatMap(({ query, resource: from, fields: names }): MissingName[] => {
    const resource = from === undefined ? undefined : resources.get(from);
    if (from !== undefined && resource === undefined) {
      return [{ query, name: from, problem: 'unknown', instead: undefined }];
    }
    return names.flatMap((name): readonly MissingName[] => {
      const field = fields.get(name);
      const renamed = renamedField(name)?.name;
      const instead = renamed !== undefined && fields.has(renamed) ? renamed : undefined;
      if (!field) return [{ query, name, problem: instead === undefined ? 'unknown' : 'renamed', instead }];
      const isOffered = resource === undefined || isSelectable(resource, field);
      return isOffered ? [] : [{ query, name, problem: 'not offered', instead: undefined }];
    });
  });
}
