// Runs vitest over some of the test files, lists the slow files, and ends with the counts alone on the last line.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { emptyReport, reportVariable, type Report } from './report.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

export interface RunOptions {
  /**
   * Lists the files that take longer than this. Such files don't fail the run, because a first run also
   * downloads servers.
   */
  slowAfterS?: number;
  /** Whether the run passes if all of its tests are skipped. */
  canSkipAll?: boolean;
  /** Whether a skipped test fails the run. A test that doesn't apply never does. */
  mustRunAll?: boolean;
}

/** `scope`: arguments of vitest. Sets the exit code. */
export async function runTests(
  scope: readonly string[],
  { slowAfterS = Infinity, canSkipAll = false, mustRunAll = false }: RunOptions = {},
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'fanfare-report-'));
  const reportPath = join(directory, 'report.json');
  const code = await runVitest(scope, reportPath);
  const report = readReport(reportPath);
  rmSync(directory, { recursive: true, force: true });
  for (const file of report.brokenFiles) fail(`${file} failed outside its tests.`);
  for (const [file, seconds] of Object.entries(report.seconds)) {
    if (seconds > slowAfterS) console.log(`Slow: ${file} took ${seconds.toFixed(1)} s.`);
  }
  for (const { test, reason } of report.notApplicable)
    console.log(`Not applicable: ${test}: ${reason}`);
  for (const file of report.skippedIn) console.log(`Skipped tests: ${file}`);
  // Near the end, because a log may show only its end.
  for (const { test, message } of report.failures)
    console.log(`Failed: ${test}: ${message.split('\n', 1)[0]}`);
  if (code !== 0 && report.failed === 0) fail('The run itself failed: see the errors above.');
  if (isEmpty(report, canSkipAll)) console.log('No test ran.');
  console.log(`${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped`);
  process.exitCode = exitCodeOf(report, { canSkipAll, mustRunAll });

  function fail(message: string): void {
    report.failed++;
    console.log(message);
  }
}

function isEmpty({ passed, failed, skipped }: Report, canSkipAll: boolean): boolean {
  return passed + failed + (canSkipAll ? skipped : 0) === 0;
}

export function exitCodeOf(
  report: Report,
  { canSkipAll = false, mustRunAll = false }: RunOptions = {},
): 0 | 1 {
  if (report.failed > 0 || isEmpty(report, canSkipAll)) return 1;
  return mustRunAll && report.skipped > 0 ? 1 : 0;
}

function runVitest(scope: readonly string[], reportPath: string): Promise<number> {
  const child = spawn(process.execPath, [vitest, 'run', ...scope], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, [reportVariable]: reportPath },
  });
  // Vitest stops its servers before it ends, so this process waits for vitest after any signal.
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

function readReport(path: string): Report {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report;
  } catch {
    return emptyReport();
  }
}
