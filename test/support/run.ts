// `npm test`: runs vitest and ends with the counts alone on the last line. Without a file to run it
// leaves out `test/faults`, which kills and starts whole programs (`npm run test:faults`), and
// `test/networks`, which publishes to real servers (`npm run test:networks`).
import { runTests } from './run-tests.ts';

const given = process.argv.slice(2);
const rest = ['--exclude', 'test/faults/**', '--exclude', 'test/networks/**'];
await runTests(given.length > 0 ? given : rest);
