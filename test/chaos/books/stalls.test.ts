// A worker's warnings of slow tasks become the windows in which it stood still.
import { expect, test } from 'vitest';
import { findStalls } from './stalls.ts';

const warn = (time: number) =>
  `{"level":40,"time":${time},"component":"temporal","msg":"[TMPRL1104] 01:7:3 Workflow task duration exceeded 5 seconds."}`;

test('warnings within 5 s of each other are one stall, whichever worker printed them', () => {
  const first = ['--- worker-1 starts', warn(100_000), warn(112_000), ''].join('\n');
  const second = `${warn(104_000)}\n{"level":40,"time":130000,"msg":"a sweep failed"}\n`;
  const late =
    '{"level":40,"time":150000,"component":"temporal","msg":"Tried to complete untracked local activity"}';
  const stalls = findStalls([first, second, late]);
  expect(stalls.map(({ from, to }) => [from.getTime(), to.getTime()])).toEqual([
    [95_000, 104_000],
    [107_000, 112_000],
    [145_000, 150_000],
  ]);
  expect(findStalls([''])).toEqual([]);
});
