import { editorSchema, type JsonSchema } from '../language/yaml/scalars.ts';
import { isGroup, LISTED, SETTINGS } from './setting-tree.ts';
import { settingsSchema } from './settings.ts';

export const SCHEMA_FILE = 'pacekeeper.schema.json';

/** Editors find the schema by this line in the settings file. */
export const SCHEMA_LINE = `# yaml-language-server: $schema=./${SCHEMA_FILE}`;

export function settingsJsonSchema(): string {
  const schema = describe(editorSchema(settingsSchema, 'Settings of pacekeeper'), '');
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

const ended = (text: string): string => (text === '' || text.endsWith('.') ? text : `${text}.`);

const DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ...LISTED.flatMap(({ section: { title, before, keys, isOfAreas } }) =>
    isOfAreas ? Object.keys(keys).map((area) => [area, [ended(title), ...before].join(' ')] as const) : [],
  ),
  ...SETTINGS.flatMap(({ path, meaning, without }) => {
    const said = [ended(meaning), without === undefined ? '' : ended(`Default: ${without}`)];
    return path === undefined ? [] : [[path.replace(/<\w+>/g, '<>'), said.filter(Boolean).join(' ')] as const];
  }),
]);

/** In `path`, `<>` stands for a key that the user chooses. */
function describe(schema: JsonSchema, path: string): JsonSchema {
  const { properties, additionalProperties: each, items, anyOf } = schema;
  const below = (key: string) => (path === '' ? key : `${path}.${key}`);
  const described: Record<string, unknown> = { ...(anyScalar(schema) ?? schema) };
  delete described.default;
  if (properties) {
    const entries = Object.entries(properties).map(([key, one]) => [key, describe(one, below(key))] as const);
    described.properties = Object.fromEntries(entries);
  }
  if (isGroup(each)) described.additionalProperties = describe(each, below('<>'));
  if (isGroup(items)) described.items = describe(items, items.properties ? `${path}[]` : `${path}[?]`);
  // The outer schema already has the description.
  if (Array.isArray(anyOf)) described.anyOf = anyOf.map((one: JsonSchema) => describe(one, `${path}?`));
  const description = DESCRIPTIONS.get(path);
  return description === undefined ? described : { description, ...described };
}

/** pacekeeper reads scalars as text, so numbers and ids need no quotes. */
function anyScalar(schema: JsonSchema): JsonSchema | undefined {
  const isText = schema.type === 'string' && schema.enum === undefined && schema.pattern === undefined;
  return isText ? { ...schema, type: ['string', 'number', 'boolean'] } : undefined;
}
