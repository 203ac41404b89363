// Reports a test run: its counts, the files that failed outside their tests, and how long each file took.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

export interface Report {
  passed: number;
  failed: number;
  skipped: number;
  /** Files that did not load, or whose hooks failed. */
  brokenFiles: string[];
  seconds: Record<string, number>;
}

/** Names the file for the report. */
export const reportVariable = 'FANFARE_TEST_REPORT';

export class RunReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const path = process.env[reportVariable];
    if (path === undefined) return;
    const report: Report = { passed: 0, failed: 0, skipped: 0, brokenFiles: [], seconds: {} };
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId);
      const tests = [...module.children.allTests()].map((test) => test.result().state);
      for (const state of tests) report[state === 'pending' ? 'skipped' : state]++;
      if (!module.ok() && !tests.includes('failed')) report.brokenFiles.push(file);
      const { collectDuration, duration } = module.diagnostic();
      report.seconds[file] = (collectDuration + duration) / 1_000;
    }
    writeFileSync(path, JSON.stringify(report));
  }
}
