import { expect, it } from 'vitest';
import { renderQueryLanguage } from './render-query-language.ts';

it('docs/query-language.md says what the code does; npx vitest run test/docs -u writes it anew', async () => {
  await expect(renderQueryLanguage()).toMatchFileSnapshot('../../docs/query-language.md');
});
