// `npm run test:production`: chaos, the bench's rows on posts, and the end-to-end tests, at Temporal's
// production server on Postgres. Where Go is missing, all of them are skipped.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runTests } from './run-tests.ts';
import { buildProductionTemporal } from './servers/production-temporal.ts';

const chaos = ['test/chaos/run.ts', '--short'];
/** They say nothing of Temporal. */
const others = [
  'test/end-to-end/programs/package.test.ts',
  'test/long/end-to-end/clients/**',
  'test/long/end-to-end/dashboard/**',
].flatMap((path) => ['--exclude', path]);
const bench = ['test/bench/run.ts', 'posts_accepted', 'posts_concluded', 'burst'];

/** Runs the tests. Sets the exit code. */
export async function runProduction(): Promise<void> {
  const skipped = await buildProductionTemporal().then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (skipped === undefined) {
    process.env['TEST_TEMPORAL'] = 'production';
    const codes = [await runProgram(chaos), await runProgram(bench)];
    await runTests(['test/end-to-end', 'test/long/end-to-end', ...others]);
    if (codes.some((code) => code !== 0)) process.exitCode = 1;
  } else {
    console.log(
      `Skipped ${chaos.join(' ')}, ${bench.join(' ')} and the end-to-end tests: ${skipped}`,
    );
    console.log('0 passed, 0 failed, 3 skipped');
  }
}

function runProgram([path, ...args]: string[]): Promise<number> {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal));
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

if (import.meta.main) await runProduction();
