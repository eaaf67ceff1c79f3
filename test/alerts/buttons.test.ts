import { expect, it } from 'vitest';
import { waysToDecide } from '../../src/domain/channel.ts';
import { budgetId } from '../../src/domain/ids.ts';
import { enqueueAlert } from '../../src/storage/records/alerts/alert-table.ts';
import { insertProposal } from '../../src/storage/records/budgets/proposal-table.ts';
import { someIntent } from '../support/state.ts';
import { ANNA, deliveryPath, onlyGraph, phonesOfFile } from './delivery-path.ts';

const phones = phonesOfFile();
const NOW_MS = Date.parse('2026-11-20T12:00:00Z');

let budgets = 1;

async function asks(count: number, { byReply = true, buttons = true, more = '' } = {}) {
  const path = await deliveryPath(phones, [onlyGraph(ANNA)]);
  const codes: string[] = [];
  while (codes.length < count) {
    const { kind: _kind, undoes: _undoes, actor: _actor, ...change } = someIntent();
    const own = { ...change, budgetId: budgetId(String(budgets++)), expiresAtMs: NOW_MS + 3_600_000 };
    const { code = '' } = (await insertProposal(path.state.db, undefined, own, NOW_MS)) ?? {};
    const text = `Shoes${more}\n${waysToDecide(code, byReply)} (until noon)`;
    const about = {
      severity: 'info',
      customerId: undefined,
      text,
      short: `${code}: Shoes`,
      proposalCode: code,
    } as const;
    await enqueueAlert(path.state.db, { ...about, dedupeKey: `proposal:${code}` }, NOW_MS);
    codes.push(code);
  }
  const delivered = await path.deliver({ graph: { ...path.graph, buttons } });
  expect(delivered).toMatchObject([{ channel: 'graph', state: 'accepted' }]);
  const { type, interactive } = JSON.parse(
    phones.sandbox.requests.findLast(({ kind }) => kind === 'graph_send')?.body ?? '{}',
  );
  const titles = interactive?.action.buttons.map(({ reply }: { reply: { title: string } }) => reply.title);
  return { type, titles, codes, said: path.sent().at(-1)?.[2] };
}

it('a question comes with buttons whose titles are the answers', async () => {
  const { type, titles, codes, said } = await asks(1);
  expect([type, titles]).toEqual(['interactive', [`YES ${codes[0]}`, `NO ${codes[0]}`]]);
  // The person can also answer in words.
  expect(said).toContain(`Reply YES ${codes[0]} or NO ${codes[0]} (until noon)`);
});

it.each([
  ['several questions', 2, {}],
  ['a question that no answer decides', 1, { byReply: false }],
  ['a text that is too long for buttons', 1, { more: 'x'.repeat(1_024) }],
  ['a service that may not know buttons', 1, { buttons: false }],
])('%s: no buttons', async (_sentence, count, options) => {
  expect(await asks(count, options)).toMatchObject({ type: 'text', titles: undefined });
});
