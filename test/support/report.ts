// Reports a test run: its counts, what failed or was skipped and why, and how long each file took.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule, TestResult } from 'vitest/node';

export interface Report {
  passed: number;
  failed: number;
  failures: { test: string; message: string }[];
  /** Tests that were skipped without giving a reason, because something that they need is missing. */
  skipped: number;
  /** Tests that gave a reason: they don't apply to their subject on any machine. */
  notApplicable: { test: string; reason: string }[];
  /** Files with skipped tests. */
  skippedIn: string[];
  /** Files that did not load, or whose hooks failed. */
  brokenFiles: string[];
  seconds: Record<string, number>;
}

/** Variable with the path of the report's file. */
export const reportVariable = 'FANFARE_TEST_REPORT';

export const emptyReport = (): Report => ({
  passed: 0,
  failed: 0,
  failures: [],
  skipped: 0,
  notApplicable: [],
  skippedIn: [],
  brokenFiles: [],
  seconds: {},
});

interface Result {
  state: TestResult['state'];
  note?: string | undefined;
  errors?: readonly { message: string }[] | undefined;
}

export function countTest(
  report: Report,
  file: string,
  test: string,
  { state, note, errors }: Result,
): void {
  if (state === 'passed') {
    report.passed++;
  } else if (state === 'failed') {
    report.failed++;
    report.failures.push({ test: `${file} > ${test}`, message: errors?.[0]?.message ?? '' });
  } else if (note !== undefined) {
    report.notApplicable.push({ test: `${file} > ${test}`, reason: note });
  } else {
    report.skipped++;
    if (!report.skippedIn.includes(file)) report.skippedIn.push(file);
  }
}

export class RunReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const path = process.env[reportVariable];
    if (path === undefined) return;
    const report = emptyReport();
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId);
      const tests = [...module.children.allTests()];
      for (const test of tests) countTest(report, file, test.fullName, test.result());
      const hasFailed = tests.some((test) => test.result().state === 'failed');
      if (!module.ok() && !hasFailed) report.brokenFiles.push(file);
      const { collectDuration, duration } = module.diagnostic();
      report.seconds[file] = (collectDuration + duration) / 1_000;
    }
    writeFileSync(path, JSON.stringify(report));
  }
}
