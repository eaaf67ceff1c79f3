import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/setting-tree.ts';
import { SCHEMA_FILE, SCHEMA_LINE, settingsJsonSchema } from '../../src/config/settings-json-schema.ts';
import { runInProcess } from '../commands/run-in-process.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const text = settingsJsonSchema();
const schema = JSON.parse(text) as Schema;

it('is the file that editors read; renew it with: pacekeeper config schema > pacekeeper.schema.json', async () => {
  expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(text);
  expect(await runInProcess(['config', 'schema'])).toEqual({ code: 0, stdout: text, stderr: '' });
});

it('the shipped pacekeeper.yaml refers to it', () => {
  expect(readFileSync('pacekeeper.yaml', 'utf8').split('\n')[0]).toBe(SCHEMA_LINE);
});

/** What stands at a setting's path. */
function at(path: string): Schema | undefined {
  let found: Schema | undefined = schema;
  for (const step of path.split(/\.|(?=\[\])/)) {
    const each: Schema['additionalProperties'] = found?.additionalProperties;
    if (step === '[]') found = found?.items;
    else if (step.startsWith('<')) found = typeof each === 'object' ? each : undefined;
    else found = found?.properties?.[step];
  }
  return found;
}

it.each(SETTINGS.flatMap(({ path = [] }) => path))('%s is described', (path) => {
  expect(at(path)?.description).toMatch(/\.$/);
});

it('allows no unknown key in any group', () => {
  const groups = (one: Schema): Schema[] => {
    const { properties = {}, additionalProperties: each, items } = one;
    const below = [
      ...Object.values(properties),
      ...(typeof each === 'object' ? [each] : []),
      ...(items ? [items] : []),
    ];
    return [...(one.properties ? [one] : []), ...below.flatMap(groups)];
  };
  expect(groups(schema).length).toBeGreaterThan(20);
  expect(groups(schema).filter(({ additionalProperties }) => additionalProperties !== false)).toEqual([]);
});

it.each([
  ['a number needs no quotes', 'sandbox.seed', { type: ['integer', 'string'], minimum: 0 }],
  ['an account needs no quotes', 'ads.login_customer_id', { type: ['integer', 'string'] }],
  ['a phone number needs no quotes', 'messages.from', { type: ['string', 'number', 'boolean'] }],
  ['editors can complete a switch', 'serve.trust_proxy', { enum: [true, false, 'yes', 'no'] }],
  ['editors can complete a choice', 'log.format', { enum: ['text', 'json'] }],
  ['one value is a list of one', 'messages.to', { anyOf: [{}, { type: 'array' }] }],
  ['approvers have names or are a list', 'alerts.approvers', { anyOf: [{ type: 'object' }, { anyOf: [{}, {}] }] }],
])('%s', (_, path, expected) => {
  expect(at(path)).toMatchObject(expected);
});
