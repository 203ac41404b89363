// `npm run test:s3` and `npm run test:chart`: tests of programs that are built with Go. Where Go is missing, they are
// skipped.
import { runTests } from './run-tests.ts';

await runTests(process.argv.slice(2), { canSkipAll: true });
