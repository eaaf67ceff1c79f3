import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PROXY_NAMES } from '../../src/config/read-proxy.ts';
import { SECTIONS, SETTINGS } from '../../src/config/registry/sections.ts';
import { SECRET_NAMES, SECRET_PATHS } from '../../src/config/secret-names.ts';
import { settingsSchema } from '../../src/config/settings-schema.ts';

/** Dotted names of all settings, ids in angle brackets. */
function settingNames(schema: z.ZodType, prefix: string): string[] {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    return settingNames(schema.unwrap() as z.ZodType, prefix);
  }
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([key, inner]) =>
      settingNames(inner as z.ZodType, prefix === '' ? key : `${prefix}.${key}`),
    );
  }
  if (schema instanceof z.ZodRecord) {
    const keys: Readonly<Record<string, string>> = {
      ...{ params: '<name>', 'extract.settle_days': '<query>', 'alerts.recipients': '<name>' },
    };
    const id = keys[prefix] ?? (prefix.includes('<') ? '<budget_id>' : '<customer_id>');
    return settingNames(schema.valueType as z.ZodType, `${prefix}.${id}`);
  }
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodObject) {
    return settingNames(schema.element, `${prefix}[]`);
  }
  return [prefix];
}

/** Every name that the readers of settings ask the environment for. */
function namesAsked(): string[] {
  const sources = readdirSync('src/config').filter((file) => file.endsWith('.ts'));
  const text = sources.map((file) => readFileSync(join('src/config', file), 'utf8')).join('\n');
  return [...new Set([...text.matchAll(/\benv\('([A-Z_]+)'\)/g)].map(([, name = '']) => name))];
}

describe('the registry of settings', () => {
  it('has every setting that the schema takes, and no other', () => {
    const known = SETTINGS.flatMap(({ path = [] }) => path);
    expect(known.toSorted()).toEqual(settingNames(settingsSchema, '').toSorted());
    expect(new Set(known).size).toBe(known.length);
  });

  it('has every name that is read of the environment, and no other', () => {
    const lower = PROXY_NAMES.map((name) => name.toLowerCase());
    const read = [...namesAsked(), ...PROXY_NAMES, ...lower, 'ADS_CUSTOMER_IDS', 'ADS_EXCLUDE_CUSTOMER_IDS'];
    expect(SETTINGS.flatMap(({ env = [] }) => env).toSorted()).toEqual([...new Set(read)].toSorted());
  });

  it('takes whatever is called like a secret for one', () => {
    const called = SETTINGS.flatMap(({ path = '' }) => (/(token|secret|password)$/.test(path) ? path : []));
    expect(SECRET_PATHS.toSorted()).toEqual([...called, 'heartbeat.url'].toSorted());
    expect(SECRET_NAMES).toHaveLength(SECRET_PATHS.length);
  });

  it('says of every setting what it means, once of those that each area has', () => {
    const silent = SETTINGS.flatMap(({ path, meaning }) => (meaning === '' ? path : []));
    expect(
      silent.filter((path) => !/retry\.(first_delay|total)_ms$|client_secret$|refresh_token$/.test(path ?? '')),
    ).toEqual([]);
  });

  it('names as the area of a section what its settings begin with', () => {
    for (const { areas, settings } of SECTIONS.filter(({ areas }) => areas.length > 0)) {
      const first = settings.map(({ path = '' }) => path.split(/[.[]/)[0]);
      expect([...new Set(first)]).toEqual(areas);
    }
  });
});
