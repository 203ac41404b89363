// `npm test`: runs the given test files, or all except those of the other scripts: `test/end-to-end`, which runs
// whole programs and browsers (`npm run test:end-to-end`), `test/faults`, which kills whole programs
// (`npm run test:faults`), `test/networks`, which publishes to real servers (`npm run test:networks`), `test/s3`,
// which stores media in a real bucket (`npm run test:s3`), `test/chart`, which renders the chart
// (`npm run test:chart`), and `test/long`, whose tests take long (`npm run test:long`).
import { runTests } from './run-tests.ts';

const others = ['end-to-end', 'faults', 'networks', 's3', 'chart', 'long'];
const files = process.argv.slice(2);
if (files.length > 0) await runTests(files);
else {
  await runTests(
    // These files start no programs, so only five of them at a time keep two cores busy.
    [...others.flatMap((folder) => ['--exclude', `test/${folder}/**`]), '--maxWorkers=5'],
    { slowAfterS: 10 },
  );
}
