import { expect, it } from 'vitest';
import { explainMessageCode } from '../../../src/channels/messages/read-refusal.ts';

it.each([
  '20003',
  '20404',
  '20429',
  '20500',
  '21211',
  '21606',
  '21408',
  '21610',
  '21617',
  '21658',
  '21910',
  '63016',
  '63018',
  '63019',
  '63021',
])('code %s has a sentence', (code) => {
  expect(explainMessageCode(code)?.meaning).toMatch(/^[A-Z].*\.$/);
});

it.each(['20003', '21211', '21606', '21408', '21610', '63016', '63019', '63021'])('code %s has a next step', (code) => {
  expect(explainMessageCode(code)?.nextStep).toMatch(/^[A-Z].*\.$/);
});

it.each(['99999', '', 'toString', '__proto__', 'HTTP_400'])('code %j is unknown', (code) => {
  expect(explainMessageCode(code)).toBeUndefined();
});
