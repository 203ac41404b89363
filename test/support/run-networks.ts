// `npm run test:networks`: publishes to real servers. The tests start these servers, or the command line
// names one.
import {
  describeUsage,
  namedServerVariable,
  readNamedServer,
} from './networks/contract/named-server.ts';
import { runTests } from './run-tests.ts';

const namedServerTest = 'test/networks/named-server.test.ts';
/** Without this option, the run fails if a server can't run on this machine. */
const allowSkips = '--allow-skips';
const given = process.argv.slice(2).filter((each) => each !== allowSkips);
const mustRunAll = !process.argv.includes(allowSkips);

if (given.includes('--help') || given.includes('-h')) {
  console.log(
    `${describeUsage()}\n\n${allowSkips}: passes although a server of the tests can't start here`,
  );
} else if (given.length === 0) {
  await runTests(['test/networks', '--exclude', namedServerTest], { mustRunAll });
} else {
  await runNamed();
}

async function runNamed(): Promise<void> {
  try {
    process.env[namedServerVariable] = JSON.stringify(readNamedServer(given));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${describeUsage()}`);
    process.exitCode = 2;
    return;
  }
  await runTests([namedServerTest]);
}
