// `npm run test:long`: the proofs that take too long for every landing. Their paths as arguments run only some of
// `test/long`; without arguments, the checks at Temporal's production server follow.
import { runProduction } from './run-production.ts';
import { runTests } from './run-tests.ts';

const given = process.argv.slice(2);
await runTests(given.length > 0 ? given : ['test/long']);
if (given.length === 0) {
  const { exitCode } = process;
  await runProduction();
  if (exitCode) process.exitCode = exitCode;
}
