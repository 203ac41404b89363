// `npm run test:python`: tests the Python client. Where pip can't install its packages, the tests are skipped.
import { runTests } from '../support/run-tests.ts';

await runTests(['test/clients/python', ...process.argv.slice(2)], { canSkipAll: true });
