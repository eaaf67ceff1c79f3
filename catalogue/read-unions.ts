import { readFileSync } from 'node:fs';

/** The names one resource's query may use, as the provider's own field service lists them. */
export interface ResourceUnions {
  /** Full names of the selectable attributes, those of attributed and segmenting resources included. */
  readonly attributes: readonly string[];
  readonly metrics: readonly string[];
  readonly segments: readonly string[];
  /** Resources that split the rows; the source lists them among the segments. */
  readonly segmentingResources: readonly string[];
}

export interface Unions {
  readonly resources: ReadonlyMap<string, ResourceUnions>;
  /** All metrics and segments the source knows, whether a resource offers them or not. */
  readonly metrics: readonly string[];
  readonly segments: readonly string[];
}

/**
 * Reads the unions of string literals in `fields.d.ts`, one on each line: `type Resource`, `type Metric`, `type
 * Segment`, and for each resource `type <Resource>Field`, `…Metric` and `…Segment`, the last two only where it has any.
 */
export function readUnions(file: string): Unions {
  const unions = readUnionLines(file);
  const take = (name: string) => {
    const names = unions.get(name);
    unions.delete(name);
    return names;
  };
  const need = (name: string) => {
    const names = take(name);
    if (names === undefined) throw new Error(`${file} has no union "${name}".\n${NEXT_STEP}`);
    return names;
  };

  const metrics = need('Metric');
  const segments = need('Segment');
  const resources = new Map(
    need('Resource').map((resource) => {
      const typeName = pascalCase(resource);
      const splitting = take(`${typeName}Segment`) ?? [];
      return [
        resource,
        {
          attributes: need(`${typeName}Field`),
          metrics: take(`${typeName}Metric`) ?? [],
          segments: splitting.filter((name) => name.startsWith('segments.')),
          segmentingResources: splitting.filter((name) => !name.startsWith('segments.')),
        },
      ];
    }),
  );
  const unused = [...unions.keys()].filter((name) => name !== 'Attribute');
  if (unused.length > 0) throw new Error(`${file} has unions that belong to no resource: ${unused}.\n${NEXT_STEP}`);
  return { resources, metrics, segments };
}

const NEXT_STEP = 'Compare the file with what catalogue/read-unions.ts expects of it.';

/** All aliases of the file by name; the plural ones, such as `Metrics`, are only arrays of the others. */
function readUnionLines(file: string): Map<string, readonly string[]> {
  const unions = new Map<string, readonly string[]>();
  for (const [, name = '', body = ''] of readFileSync(file, 'utf8').matchAll(/^ *type (\w+) = (.+);$/gm)) {
    if (body.startsWith('Array<')) continue;
    const members = body.split(' | ').map((member) => /^"([\w.]+)"$/.exec(member)?.[1]);
    if (!members.every((member) => member !== undefined)) {
      throw new Error(`${file}: the union "${name}" has a member that is not a field's name.\n${NEXT_STEP}`);
    }
    unions.set(name, members);
  }
  return unions;
}

function pascalCase(resource: string): string {
  return resource.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
