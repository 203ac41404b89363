// `npm test`: runs the given test files, or all except `test/faults`, which kills whole programs
// (`npm run test:faults`), and `test/networks`, which publishes to real servers (`npm run test:networks`).
import { runTests } from './run-tests.ts';

const files = process.argv.slice(2);
const quick = ['--exclude', 'test/faults/**', '--exclude', 'test/networks/**'];
if (files.length > 0) await runTests(files);
else await runTests(quick, { slowAfterS: 10 });
