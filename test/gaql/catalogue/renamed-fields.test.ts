import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { RENAMED_FIELDS, renamedField } from '../../../src/gaql/catalogue/catalogue.ts';

describe('a renamed field', () => {
  const { fields } = loadCatalogue('v25');

  it.each(RENAMED_FIELDS)('%s is gone, and what it is called today is there', (old) => {
    expect(fields.has(old)).toBe(false);
    expect(fields.has(renamedField(old)?.name ?? '')).toBe(true);
    expect(renamedField(old)?.since).toMatch(/^v\d+$/);
  });

  it('is known in any case, and others are not', () => {
    expect(renamedField('Metrics.Video_Views')?.name).toBe('metrics.video_trueview_views');
    for (const name of ['campaign.id', 'constructor', '']) expect(renamedField(name)).toBeUndefined();
  });
});
