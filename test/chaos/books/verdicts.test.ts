// Two reads: each kind of work that continues is late, and each kind that does not is lost.
import { expect, test } from 'vitest';
import { decide, type OpenWork } from './verdicts.ts';

const at = new Date('2026-11-24T12:00:00Z');
const read = { at, watchedMs: 20_000, mostWaitMs: 150_000 };
const inSeconds = (s: number) => new Date(at.getTime() + s * 1_000);
const still: OpenWork = {
  id: 'post_1',
  trace: 'a',
  workflow: 'running',
  task: undefined,
  dueAt: undefined,
};

const late: [what: string, now: Partial<OpenWork>, why: RegExp][] = [
  ['a step between the reads', { trace: 'b', workflow: 'gone' }, /moved within the last 20 s/],
  ['a due time ahead', { dueAt: inSeconds(3) }, /due in 3\.0 s/],
  ['a due time just passed', { dueAt: inSeconds(-4), workflow: 'gone' }, /due 4\.0 s ago/],
  ['a task in the queue', { task: { tries: 1, failure: undefined } }, /a task in the queue/],
];
test.each(late)('%s is late', (_, now, why) => {
  expect(decide(still, { ...still, ...now }, read)).toEqual({
    isLost: false,
    why: expect.stringMatching(why),
  });
});

const lost: [what: string, now: Partial<OpenWork>, why: RegExp][] = [
  ['no workflow', { workflow: 'gone' }, /no workflow owns it, and it stood for 20 s/],
  ['a due time long past', { workflow: 'gone', dueAt: inSeconds(-21) }, /no workflow owns it/],
  ['a start that no relay makes', { workflow: 'asked for' }, /no relay started its workflow/],
  ['a workflow that waits for nothing', {}, /waits for nothing/],
  ['a wait of hours', { trace: 'b', dueAt: inSeconds(7_200) }, /waits until 2026-11-24T14:00:00/],
  [
    'an activity that fails each time',
    { trace: 'b', task: { tries: 10, failure: 'no such column' } },
    /failed 10 times: no such column/,
  ],
];
test.each(lost)('%s is lost', (_, now, why) => {
  expect(decide(still, { ...still, ...now }, read)).toEqual({
    isLost: true,
    why: expect.stringMatching(why),
  });
});

test('work that only the second read finds is late', () => {
  expect(decide(undefined, still, read).isLost).toBe(false);
});
