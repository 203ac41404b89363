// The exit code of a test run: what a skipped test means, and what a test that doesn't apply means.
import { expect, test } from 'vitest';
import { countTest, emptyReport } from './report.ts';
import { exitCodeOf } from './run-tests.ts';

const reportOf = (...results: Parameters<typeof countTest>[3][]) => {
  const report = emptyReport();
  for (const result of results) countTest(report, 'a.test.ts', 'works', result);
  return report;
};

test('a skipped test fails only a run that must run all of its tests', () => {
  const report = reportOf({ state: 'passed' }, { state: 'skipped' });
  expect(report).toMatchObject({ passed: 1, skipped: 1, skippedIn: ['a.test.ts'] });
  expect(exitCodeOf(report)).toBe(0);
  expect(exitCodeOf(report, { mustRunAll: true })).toBe(1);
});

test('a test that names why it does not apply is listed, and fails no run', () => {
  const report = reportOf({ state: 'passed' }, { state: 'skipped', note: 'No consent.' });
  expect(report.skipped).toBe(0);
  expect(report.notApplicable).toEqual([{ test: 'a.test.ts > works', reason: 'No consent.' }]);
  expect(exitCodeOf(report, { mustRunAll: true })).toBe(0);
});

test('a failed test is listed with its error', () => {
  const report = reportOf({ state: 'failed', errors: [{ message: 'expected 1 to be 2' }] });
  expect(report).toMatchObject({
    failed: 1,
    failures: [{ test: 'a.test.ts > works', message: 'expected 1 to be 2' }],
  });
});

test('a run without tests fails, unless all of them may be skipped', () => {
  expect(exitCodeOf(emptyReport())).toBe(1);
  expect(exitCodeOf(reportOf({ state: 'skipped' }), { canSkipAll: true })).toBe(0);
  expect(exitCodeOf(reportOf({ state: 'passed' }, { state: 'failed' }))).toBe(1);
});
