import { describe, expect, it } from 'vitest';
import { LISTED, SECRET_SETTINGS, SETTINGS } from '../../src/config/setting-tree.ts';

const PATHS = SETTINGS.flatMap(({ path = [] }) => path);

describe('the declared settings', () => {
  it('are declared once, with unique environment names', () => {
    expect(new Set(PATHS).size).toBe(PATHS.length);
    const names = SETTINGS.flatMap(({ env }) => env);
    expect(new Set(names).size).toBe(names.length);
  });

  it('are secret if their name says so', () => {
    const called = PATHS.filter((path) => /(token|secrets?|password|webhooks|keys?|topics)$/.test(path));
    expect(SECRET_SETTINGS.map(({ at }) => at).toSorted()).toEqual(
      [...called, 'heartbeat.url', 'publish.postgres.url', 'store.explore_url', 'store.url', 'webhook.urls'].toSorted(),
    );
    for (const { at, env } of SECRET_SETTINGS) expect(env, at).not.toEqual([]);
  });

  it('have a meaning, once for those that every area has', () => {
    const silent = SETTINGS.filter(({ meaning }) => meaning === '').map(({ at }) => at);
    expect(silent.filter((at) => !/retry\.(first_delay|total)_ms$|client_secret$|refresh_token$/.test(at))).toEqual([]);
  });

  it('begin with a key of their section', () => {
    for (const { section, settings } of LISTED) {
      const first = settings.map(({ at }) => at.split(/[.[]/)[0]);
      expect([...new Set(first)]).toEqual(Object.keys(section.keys));
    }
  });
});
