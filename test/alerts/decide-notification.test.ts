import { describe, expect, it } from 'vitest';
import { type ConditionNow, decideNotification, type LastNotification } from '../../src/alerts/decide-notification.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW_MS = Date.parse('2026-11-20T12:00:00Z');
const POLICY = { cooldownMs: HOUR_MS, repeatMs: 24 * HOUR_MS };

const told = (as: LastNotification['notifiedAs'], agoMs: number, severity: LastNotification['notifiedSeverity']) => ({
  notifiedAs: as,
  notifiedAtMs: NOW_MS - agoMs,
  notifiedSeverity: severity,
});
const firing = (severity: ConditionNow['severity'], silenced = false) => ({ firing: true, severity, silenced });
const over = (severity: ConditionNow['severity'], silenced = false) => ({ firing: false, severity, silenced });

describe('what people are told of a condition', () => {
  it.each<[sentence: string, last: LastNotification | undefined, now: ConditionNow, kind: string, because: string]>([
    ['that begins is told', undefined, firing('info'), 'first', 'it is new'],
    ['that never was so is not told', undefined, over('critical'), 'nothing', 'it was not reported'],
    [
      'that was told a moment ago is not told again',
      told('first', 0, 'warning'),
      firing('warning'),
      'nothing',
      'it was reported a short time ago',
    ],
    [
      'is not told a moment before the time to repeat it',
      told('first', 24 * HOUR_MS - 1, 'warning'),
      firing('warning'),
      'nothing',
      'it was reported a short time ago',
    ],
    [
      'is told again at the time to repeat it',
      told('first', 24 * HOUR_MS, 'warning'),
      firing('warning'),
      'repeat',
      'it is still true',
    ],
    [
      'is repeated a day after it was repeated',
      told('repeat', 24 * HOUR_MS, 'warning'),
      firing('warning'),
      'repeat',
      'it is still true',
    ],
    [
      'that becomes worse is told at once',
      told('first', 1, 'warning'),
      firing('critical'),
      'escalated',
      'it was reported as warning and is now critical',
    ],
    [
      'that becomes worse when it is to be repeated is told as worse',
      told('first', 48 * HOUR_MS, 'info'),
      firing('warning'),
      'escalated',
      'it was reported as info and is now warning',
    ],
    [
      'that was told as worse is not told again as that',
      told('escalated', MINUTE_MS, 'critical'),
      firing('critical'),
      'nothing',
      'it was reported a short time ago',
    ],
    [
      'that becomes less bad is not told',
      told('first', HOUR_MS, 'critical'),
      firing('info'),
      'nothing',
      'it was reported a short time ago',
    ],
    [
      'that becomes less bad is repeated when it is time',
      told('first', 24 * HOUR_MS, 'critical'),
      firing('info'),
      'repeat',
      'it is still true',
    ],
    [
      'that is over is told as over',
      told('first', 1, 'warning'),
      over('warning'),
      'resolved',
      'it is resolved, and it was reported',
    ],
    [
      'that is over after it was repeated is told as over',
      told('repeat', 1, 'warning'),
      over('warning'),
      'resolved',
      'it is resolved, and it was reported',
    ],
    [
      'that is over after it became worse is told as over',
      told('escalated', 1, 'critical'),
      over('info'),
      'resolved',
      'it is resolved, and it was reported',
    ],
    [
      'that was told as over is not told as over again',
      told('resolved', 48 * HOUR_MS, 'warning'),
      over('warning'),
      'nothing',
      'it was not reported',
    ],
    [
      'that comes back a moment after it was told as over is not told',
      told('resolved', 0, 'warning'),
      firing('warning'),
      'nothing',
      'it was reported as resolved a short time ago',
    ],
    [
      'that comes back and is over again within the cooldown was not told, and is not told as over',
      told('resolved', MINUTE_MS, 'warning'),
      over('warning'),
      'nothing',
      'it was not reported',
    ],
    [
      'that came back is not told a moment before the cooldown ends',
      told('resolved', HOUR_MS - 1, 'warning'),
      firing('warning'),
      'nothing',
      'it was reported as resolved a short time ago',
    ],
    [
      'that came back is told as new when the cooldown ends',
      told('resolved', HOUR_MS, 'warning'),
      firing('warning'),
      'first',
      'it was resolved and is true again',
    ],
    [
      'that comes back worse is told within the cooldown',
      told('resolved', MINUTE_MS, 'warning'),
      firing('critical'),
      'escalated',
      'it was reported as warning and is now critical',
    ],
    [
      'that comes back worse after the cooldown is new',
      told('resolved', 2 * HOUR_MS, 'warning'),
      firing('critical'),
      'first',
      'it was resolved and is true again',
    ],
    ['that begins silenced is not told', undefined, firing('critical', true), 'nothing', 'it is silenced'],
    [
      'that becomes worse silenced is not told',
      told('first', 1, 'info'),
      firing('critical', true),
      'nothing',
      'it is silenced',
    ],
    [
      'that is to be repeated silenced is not told',
      told('first', 25 * HOUR_MS, 'info'),
      firing('info', true),
      'nothing',
      'it is silenced',
    ],
    [
      'that is over silenced is not told as over',
      told('first', 1, 'info'),
      over('info', true),
      'nothing',
      'it is silenced',
    ],
    ['whose silence ends before it was ever told is told as new', undefined, firing('warning'), 'first', 'it is new'],
    [
      'whose silence outlasts the time to repeat it is repeated when the silence ends',
      told('first', 30 * HOUR_MS, 'warning'),
      firing('warning'),
      'repeat',
      'it is still true',
    ],
    [
      'that ended while it was silenced is told as over when the silence ends',
      told('first', 3 * HOUR_MS, 'warning'),
      over('warning'),
      'resolved',
      'it is resolved, and it was reported',
    ],
    [
      'told by a clock that was ahead of today’s is not told again',
      told('first', -HOUR_MS, 'warning'),
      firing('warning'),
      'nothing',
      'it was reported a short time ago',
    ],
    [
      'told as over by a clock that was ahead of today’s is not told',
      told('resolved', -HOUR_MS, 'warning'),
      firing('warning'),
      'nothing',
      'it was reported as resolved a short time ago',
    ],
  ])('%s', (_sentence, last, now, kind, because) => {
    expect(decideNotification(last, now, NOW_MS, POLICY)).toEqual({ kind, because });
  });

  it.each<[sentence: string, last: LastNotification, kind: string]>([
    ['a cooldown of nothing tells at once what comes back', told('resolved', 0, 'warning'), 'first'],
    ['a repetition after an hour is told after an hour', told('first', HOUR_MS, 'warning'), 'repeat'],
  ])('by other settings: %s', (_sentence, last, kind) => {
    const policy = { cooldownMs: 0, repeatMs: HOUR_MS };
    expect(decideNotification(last, firing('warning'), NOW_MS, policy).kind).toBe(kind);
  });

  it('goes on as a story: told, repeated, worse, over, back too soon, back', () => {
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
      if (kind !== 'nothing') last = { notifiedAs: kind, notifiedAtMs: nowMs, notifiedSeverity: now.severity };
      return kind;
    });
    expect(heard).toEqual([
      'first',
      'nothing',
      'repeat',
      'escalated',
      'resolved',
      'nothing',
      'nothing',
      'nothing',
      'first',
      'resolved',
    ]);
  });
});
