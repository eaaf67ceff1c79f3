import { editorSchema, type JsonSchema } from '../yaml/scalars.ts';
import { isGroup, LISTED, SETTINGS } from './setting-tree.ts';
import { settingsSchema } from './settings.ts';

/** The file beside `pacekeeper.yaml` that its first line names. */
export const SCHEMA_FILE = 'pacekeeper.schema.json';

/** The first line of a `pacekeeper.yaml`, by which an editor finds the schema that lies beside it. */
export const SCHEMA_LINE = `# yaml-language-server: $schema=./${SCHEMA_FILE}`;

/** The text of the JSON Schema of `pacekeeper.yaml`, with what was declared of each setting. */
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

/** The schema with what each place of it means; keys that the user chooses are `<>` in `path`. */
function describe(schema: JsonSchema, path: string): JsonSchema {
  const { properties, additionalProperties: each, items, anyOf } = schema;
  const below = (key: string) => (path === '' ? key : `${path}.${key}`);
  const described: Record<string, unknown> = { ...(anyScalar(schema) ?? schema) };
  // Said in the description, in the words of the page.
  delete described.default;
  if (properties) {
    const entries = Object.entries(properties).map(([key, one]) => [key, describe(one, below(key))] as const);
    described.properties = Object.fromEntries(entries);
  }
  if (isGroup(each)) described.additionalProperties = describe(each, below('<>'));
  if (isGroup(items)) described.items = describe(items, items.properties ? `${path}[]` : `${path}[?]`);
  // One of several forms of the same setting: what it means is said once, above them.
  if (Array.isArray(anyOf)) described.anyOf = anyOf.map((one: JsonSchema) => describe(one, `${path}?`));
  const description = DESCRIPTIONS.get(path);
  return description === undefined ? described : { description, ...described };
}

/** Every scalar is read as the text that was written, so that a number or an id needs no quotes. */
function anyScalar(schema: JsonSchema): JsonSchema | undefined {
  const isText = schema.type === 'string' && schema.enum === undefined && schema.pattern === undefined;
  return isText ? { ...schema, type: ['string', 'number', 'boolean'] } : undefined;
}
