// Runs vitest over some of the test files, and ends with the counts alone on the last line.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: {
    name: string;
    status: string;
    assertionResults: { status: string }[];
  }[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
/** `scope`: arguments of vitest. Sets the exit code. */
export async function runTests(scope: readonly string[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'fanfare-report-'));
  const reportPath = join(directory, 'report.json');
  const code = await runVitest(scope, reportPath);
  const counts = readCounts(reportPath);
  rmSync(directory, { recursive: true, force: true });
  if (code !== 0 && counts.failed === 0) {
    counts.failed = 1;
    console.log('The run itself failed: see the errors above.');
  }
  const isEmpty = counts.passed + counts.failed === 0;
  if (isEmpty) console.log('No test ran.');
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = counts.failed > 0 || isEmpty ? 1 : 0;
}

function runVitest(scope: readonly string[], reportPath: string): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      vitest,
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${reportPath}`,
      ...scope,
    ],
    { cwd: root, stdio: 'inherit' },
  );
  // Vitest stops its servers before it ends, so this process waits for it whatever it is sent.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal));
  }
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(error);
      resolve(1);
    });
    child.on('exit', (exitCode) => resolve(exitCode ?? 1));
  });
}

function readCounts(reportPath: string): { passed: number; failed: number; skipped: number } {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(reportPath, 'utf8')) as Report;
  } catch {
    return { passed: 0, failed: 0, skipped: 0 };
  }
  // A file that did not load, or whose hooks failed, fails without a failed test.
  const brokenFiles = report.testResults.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  for (const file of brokenFiles) console.log(`Failed outside its tests: ${file.name}`);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
