// `npm test`: runs the given test files, or all except `test/faults`, which kills whole programs
// (`npm run test:faults`), `test/networks`, which publishes to real servers (`npm run test:networks`),
// `test/s3`, which stores media in a real bucket (`npm run test:s3`), and `test/large`, which publishes a
// large file while programs are killed (`npm run test:large`).
import { runTests } from './run-tests.ts';

const files = process.argv.slice(2);
const quick = [
  '--exclude',
  'test/faults/**',
  '--exclude',
  'test/networks/**',
  '--exclude',
  'test/s3/**',
  '--exclude',
  'test/large/**',
];
if (files.length > 0) await runTests(files);
else await runTests(quick, { slowAfterS: 10 });
