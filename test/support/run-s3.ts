// `npm run test:s3`: stores media in a real bucket. Where Go is missing, its tests are skipped.
import { runTests } from './run-tests.ts';

await runTests(['test/s3', ...process.argv.slice(2)], { canSkipAll: true });
