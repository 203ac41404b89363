// `npm test`: runs the given test files, or all except `test/faults`, which kills whole programs
// (`npm run test:faults`), `test/networks`, which publishes to real servers (`npm run test:networks`), and
// `test/s3`, which stores media in a real bucket (`npm run test:s3`).
import { runTests } from './run-tests.ts';

const files = process.argv.slice(2);
const quick = [
  '--exclude',
  'test/faults/**',
  '--exclude',
  'test/networks/**',
  '--exclude',
  'test/s3/**',
];
if (files.length > 0) await runTests(files);
else await runTests(quick, { slowAfterS: 10 });
