import { describe, expect, it } from 'vitest';
import {
  type ConditionNow,
  decideNotification,
  type LastNotification,
} from '../../src/language/rules/decide-notification.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW_MS = Date.parse('2026-11-20T12:00:00Z');
const POLICY = { cooldownMs: HOUR_MS, repeatMs: 24 * HOUR_MS };

const told = (
  as: LastNotification['notifiedAs'],
  agoMs: number,
  severity: LastNotification['notifiedSeverity'],
  firedAgoMs = agoMs,
): LastNotification => ({
  firedAtMs: NOW_MS - firedAgoMs,
  notifiedAs: as,
  notifiedAtMs: NOW_MS - agoMs,
  notifiedSeverity: severity,
});
const firing = (severity: ConditionNow['severity'], silenced = false) => ({ firing: true, severity, silenced });
const over = (severity: ConditionNow['severity'], silenced = false) => ({ firing: false, severity, silenced });

describe('a condition', () => {
  it.each<[sentence: string, last: LastNotification | undefined, now: ConditionNow, kind: string]>([
    ['is reported when it begins', undefined, firing('info'), 'first'],
    ['is not reported if it never held', undefined, over('critical'), 'nothing'],
    ['is not reported again a moment later', told('first', 0, 'warning'), firing('warning'), 'nothing'],
    [
      'is not repeated a moment before seven eighths of the repeat time',
      told('first', 21 * HOUR_MS - 1, 'warning'),
      firing('warning'),
      'nothing',
    ],
    ['is repeated at the repeat time', told('first', 24 * HOUR_MS, 'warning'), firing('warning'), 'repeat'],
    [
      'is repeated by a daily run that is earlier than the day before',
      told('first', 23 * HOUR_MS, 'warning'),
      firing('warning'),
      'repeat',
    ],
    [
      'is repeated in the morning after a late run',
      told('repeat', 18 * HOUR_MS, 'warning', 72 * HOUR_MS),
      firing('warning'),
      'repeat',
    ],
    [
      'is not repeated in the morning after a very late run',
      told('repeat', 18 * HOUR_MS - 1, 'warning', 72 * HOUR_MS),
      firing('warning'),
      'nothing',
    ],
    [
      'is repeated once a day by an hourly run',
      told('repeat', 23 * HOUR_MS, 'warning', (48 + 20) * HOUR_MS),
      firing('warning'),
      'nothing',
    ],
    [
      'is repeated a day after the last repetition',
      told('repeat', 24 * HOUR_MS, 'warning'),
      firing('warning'),
      'repeat',
    ],
    ['is reported at once when it becomes worse', told('first', 1, 'warning'), firing('critical'), 'escalated'],
    [
      'is reported as worse if it becomes worse at the repeat time',
      told('first', 48 * HOUR_MS, 'info'),
      firing('warning'),
      'escalated',
    ],
    ['is not reported as worse twice', told('escalated', MINUTE_MS, 'critical'), firing('critical'), 'nothing'],
    ['is not reported when it becomes less severe', told('first', HOUR_MS, 'critical'), firing('info'), 'nothing'],
    [
      'is repeated on time even if it is less severe',
      told('first', 24 * HOUR_MS, 'critical'),
      firing('info'),
      'repeat',
    ],
    ['is reported as over when it ends', told('first', 1, 'warning'), over('warning'), 'resolved'],
    ['is reported as over after a repetition', told('repeat', 1, 'warning'), over('warning'), 'resolved'],
    ['is reported as over after it became worse', told('escalated', 1, 'critical'), over('info'), 'resolved'],
    ['is not reported as over twice', told('resolved', 48 * HOUR_MS, 'warning'), over('warning'), 'nothing'],
    [
      'is not reported if it returns a moment after its end was reported',
      told('resolved', 0, 'warning'),
      firing('warning'),
      'nothing',
    ],
    [
      'is not reported if it returns and ends again within the cooldown',
      told('resolved', MINUTE_MS, 'warning'),
      over('warning'),
      'nothing',
    ],
    [
      'is not reported after a return until the cooldown ends',
      told('resolved', HOUR_MS - 1, 'warning'),
      firing('warning'),
      'nothing',
    ],
    [
      'is reported as new if it has returned when the cooldown ends',
      told('resolved', HOUR_MS, 'warning'),
      firing('warning'),
      'first',
    ],
    [
      'is reported within the cooldown if it returns worse',
      told('resolved', MINUTE_MS, 'warning'),
      firing('critical'),
      'escalated',
    ],
    [
      'is reported as new if it returns worse after the cooldown',
      told('resolved', 2 * HOUR_MS, 'warning'),
      firing('critical'),
      'first',
    ],
    ['is not reported if it begins while silenced', undefined, firing('critical', true), 'nothing'],
    [
      'is not reported if it becomes worse while silenced',
      told('first', 1, 'info'),
      firing('critical', true),
      'nothing',
    ],
    ['is not repeated while silenced', told('first', 25 * HOUR_MS, 'info'), firing('info', true), 'nothing'],
    ['is not reported as over while silenced', told('first', 1, 'info'), over('info', true), 'nothing'],
    ['is reported as new when its silence ends, if it was never reported', undefined, firing('warning'), 'first'],
    [
      'is repeated when its silence ends, if the repeat time has passed',
      told('first', 30 * HOUR_MS, 'warning'),
      firing('warning'),
      'repeat',
    ],
    [
      'is reported as over when its silence ends, if it ended meanwhile',
      told('first', 3 * HOUR_MS, 'warning'),
      over('warning'),
      'resolved',
    ],
    [
      'is not repeated after a person has seen it',
      told('first', 24 * HOUR_MS, 'warning'),
      { ...firing('warning'), acknowledged: 'warning' },
      'nothing',
    ],
    [
      'is reported if it becomes more severe, even after a person has seen it',
      told('first', 24 * HOUR_MS, 'warning'),
      { ...firing('critical'), acknowledged: 'warning' },
      'escalated',
    ],
    [
      'is reported as over, even after a person has seen it',
      told('first', 24 * HOUR_MS, 'warning'),
      { ...over('warning'), acknowledged: 'warning' },
      'resolved',
    ],
    [
      'is not reported again if its report is dated in the future',
      told('first', -HOUR_MS, 'warning'),
      firing('warning'),
      'nothing',
    ],
    [
      'is not reported if its end was reported with a date in the future',
      told('resolved', -HOUR_MS, 'warning'),
      firing('warning'),
      'nothing',
    ],
  ])('%s', (_sentence, last, now, kind) => {
    expect(decideNotification(last, now, NOW_MS, POLICY).kind).toBe(kind);
  });

  it.each<[because: string, last: LastNotification | undefined, now: ConditionNow]>([
    ['it is new', undefined, firing('info')],
    ['it was not reported', undefined, over('critical')],
    ['it was reported a short time ago', told('first', 0, 'warning'), firing('warning')],
    ['it is still true', told('first', 24 * HOUR_MS, 'warning'), firing('warning')],
    ['it was warning and is now critical', told('first', 1, 'warning'), firing('critical')],
    ['it was info and is now warning', told('first', 48 * HOUR_MS, 'info'), firing('warning')],
    ['it is resolved, and it was reported', told('first', 1, 'warning'), over('warning')],
    ['it was reported as resolved a short time ago', told('resolved', 0, 'warning'), firing('warning')],
    ['it was resolved and is true again', told('resolved', HOUR_MS, 'warning'), firing('warning')],
    ['it is silenced', undefined, firing('critical', true)],
    ['it is acknowledged', told('first', 24 * HOUR_MS, 'info'), { ...firing('info'), acknowledged: 'info' }],
    [
      'it was warning and is now critical',
      told('first', HOUR_MS, 'critical'),
      { ...firing('critical'), acknowledged: 'warning' },
    ],
  ])('says why: %s', (because, last, now) => {
    expect(decideNotification(last, now, NOW_MS, POLICY).because).toBe(because);
  });

  it.each<[sentence: string, last: LastNotification, kind: string]>([
    ['a cooldown of zero reports a return at once', told('resolved', 0, 'warning'), 'first'],
    ['a repeat time of an hour repeats after an hour', told('first', HOUR_MS, 'warning'), 'repeat'],
  ])('follows the settings: %s', (_sentence, last, kind) => {
    const policy = { cooldownMs: 0, repeatMs: HOUR_MS };
    expect(decideNotification(last, firing('warning'), NOW_MS, policy).kind).toBe(kind);
  });

  it('passes through a whole story: reported, repeated, worse, over, back too soon, back', () => {
    let last: LastNotification | undefined;
    const story: [hour: number, now: ConditionNow][] = [
      [0, firing('warning')],
      [1, firing('warning')],
      [24, firing('warning')],
      [25, firing('critical')],
      [26, over('critical')],
      [26.5, firing('critical')],
      [26.75, over('critical')],
      [26.9, firing('critical')],
      [27, firing('critical')],
      [28, over('critical')],
    ];
    const heard = story.map(([hour, now]) => {
      const nowMs = NOW_MS + hour * HOUR_MS;
      const { kind } = decideNotification(last, now, nowMs, POLICY);
      const firedAtMs = kind === 'first' ? nowMs : (last?.firedAtMs ?? nowMs);
      if (kind !== 'nothing')
        last = { firedAtMs, notifiedAs: kind, notifiedAtMs: nowMs, notifiedSeverity: now.severity };
      return kind;
    });
    expect(heard).toEqual('first nothing repeat escalated resolved nothing nothing nothing first resolved'.split(' '));
  });
});
