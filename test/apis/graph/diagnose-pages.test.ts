import { describe, expect, it } from 'vitest';
import {
  decidePages,
  diagnosePages,
  type PageToken,
  type Permission,
} from '../../../src/channels/graph/diagnose-pages.ts';
import { stubServer } from '../../support/stub-server.ts';
import { connectTo, json, USER } from './graph-client.ts';

const PAGE: PageToken = { id: '7', name: 'Shop', category: undefined, tasks: [], accessToken: 'EAAG-page' };
const granted: Permission = { permission: 'pages_show_list', status: 'granted' };
const other: Permission = { permission: 'pages_read_engagement', status: 'granted' };

describe('the diagnosis of missing pages', () => {
  it.each<[string, readonly PageToken[], readonly Permission[], string, number]>([
    ['a page exists: no problem', [PAGE], [granted], 'pages_there', 0],
    ['a page exists although the permission is not listed', [PAGE], [], 'pages_there', 0],
    ['the permission is granted without pages: the remedy', [], [other, granted], 'granted_without_pages', 4],
    ['the permission was declined', [], [{ ...granted, status: 'declined' }], 'not_granted', 3],
    ['the permission has expired', [], [{ ...granted, status: 'expired' }], 'not_granted', 3],
    ['another permission is granted', [], [other], 'not_granted', 3],
    ['nothing is granted', [], [], 'not_granted', 3],
  ])('A5: %s', (_, pages, permissions, kind, steps) => {
    const diagnosis = decidePages(pages, permissions);
    expect(diagnosis.kind).toBe(kind);
    expect(diagnosis.steps).toHaveLength(steps);
  });

  it('A5: lists the steps in order, first the one that pacekeeper can do', () => {
    const [first, second] = decidePages([], [granted]).steps;
    expect(first).toBe('Revoke the permissions. Run pacekeeper graph diagnose-pages --revoke.');
    expect(second).toBe(
      "If the app's business features are active for the page, deactivate them in the account's integrations settings.",
    );
  });

  it('A5: lists the other steps after revoking, in the same order', () => {
    const { finding, steps } = decidePages([], []);
    expect(finding).toBe(
      'No page found. The permission pages_show_list is not granted: it was revoked or never requested.',
    );
    expect(steps).toEqual(decidePages([], [granted]).steps.slice(1));
    expect(decidePages([], [{ ...granted, status: 'declined' }]).finding).toMatch(/is not granted: it is declined\.$/);
  });

  it('A5: changes nothing', async () => {
    const { url, requests } = await stubServer(({ path }, response) =>
      json(response, 200, { data: path.endsWith('/permissions') ? [granted] : [] }),
    );
    expect((await diagnosePages(connectTo(url), USER)).kind).toBe('granted_without_pages');
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });
});
