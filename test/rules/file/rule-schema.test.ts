import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { ALERT_SEVERITIES } from '../../../src/domain/channel.ts';
import { ruleSchema } from '../../../src/language/rules/file/rule-schema.ts';
import { MODES, SUBJECTS } from '../../../src/language/rules/rule.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const schema = ruleSchema() as Schema;
const FILE = 'rules/rule.schema.json';

it('is the file that editors read; renew it with: pacekeeper rules schema > rules/rule.schema.json', () => {
  expect(readFileSync(FILE, 'utf8')).toBe(`${JSON.stringify(schema, undefined, 2)}\n`);
});

it('describes every key, and allows no other', () => {
  const described = (each: Schema): boolean =>
    Object.values(each.properties ?? {}).every((property) => property.description !== undefined && described(property));
  expect(described(schema)).toBe(true);
  const groups = [schema, schema.properties?.limits, schema.properties?.alert, schema.properties?.pace];
  expect(groups.map((group) => group?.additionalProperties)).toEqual([false, false, false, false]);
});

it('lists required keys and allowed values', () => {
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    required: ['description', 'from', 'for'],
    anyOf: [{ required: ['change'] }, { required: ['alert'] }],
    properties: {
      for: { enum: [...SUBJECTS] },
      mode: { enum: [...MODES, 'suggest'], default: 'propose' },
      alert: { required: ['text'], properties: { severity: { enum: [...ALERT_SEVERITIES] } } },
    },
  });
});

it('also accepts amounts as plain numbers', () => {
  const { floor, ceiling, minimum } = schema.properties?.limits?.properties ?? {};
  const least = minimum?.additionalProperties as Schema;
  expect([floor, ceiling, least].map((each) => each?.type)).toEqual([1, 2, 3].map(() => ['number', 'string']));
});

it.each(readdirSync('rules').filter((name) => name.endsWith('.yaml')))('%s names the schema and is valid', (name) => {
  const source = readFileSync(`rules/${name}`, 'utf8');
  expect(source.split('\n')[0]).toBe('# yaml-language-server: $schema=./rule.schema.json');
  expect(misfits(parse(source), schema, '')).toEqual([]);
});

/** Enough of JSON Schema for the shipped rules: keys, kinds and choices. */
function misfits(value: unknown, against: Schema, path: string): string[] {
  const kind = value !== null && typeof value === 'object' ? 'object' : typeof value;
  const kinds = against.type === undefined ? [kind] : [against.type].flat();
  if (!kinds.includes(kind)) return [`${path} is a ${kind}`];
  if (against.enum && !against.enum.includes(String(value))) return [`${path} is ${String(value)}`];
  if (kind !== 'object') return [];
  const entries = Object.entries(value as object);
  const missing = (against.required ?? []).filter((key) => !entries.some(([name]) => name === key));
  return [
    ...missing.map((key) => `${path}/${key} is missing`),
    ...entries.flatMap(([key, each]) => {
      const property = against.properties?.[key] ?? against.additionalProperties;
      return typeof property === 'object' ? misfits(each, property, `${path}/${key}`) : [`${path}/${key} is unknown`];
    }),
  ];
}
