// `npm run test:long`: the tests that take too long to run for every change. With paths as arguments, only
// these parts of `test/long` run. Without arguments, the checks at Temporal's production server follow.
import { runProduction } from './run-production.ts';
import { runTests } from './run-tests.ts';

const given = process.argv.slice(2);
/**
 * The parts run one after the other, because some of them measure memory or time, and the tests of networks'
 * faults keep every core busy.
 */
const parts =
  given.length > 0
    ? [[...given, '--maxWorkers=1']]
    : [
        ['test/long', '--exclude', 'test/long/faults/**', '--maxWorkers=1'],
        ['test/long/faults', '--exclude', 'test/long/faults/platforms/**', '--maxWorkers=1'],
        ['test/long/faults/platforms'],
      ];
let hasFailed = false;
for (const part of parts) {
  await runTests(part);
  hasFailed ||= process.exitCode === 1;
}
if (given.length === 0) await runProduction();
if (hasFailed) process.exitCode = 1;
