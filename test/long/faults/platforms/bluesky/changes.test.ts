// Every fault in every call that removes a published post, at a real Bluesky server.
import { afterAll, describe } from 'vitest';
import { createBlueskySubject } from '../../../../support/networks/contract/bluesky.ts';
import { describeChangeFaults } from '../../../../support/networks/contract/change-cases.ts';
import { startBlueskyPds, type BlueskyPds } from '../../../../support/servers/bluesky-pds.ts';

const started = await startBlueskyPds();
const isMissing = 'skipped' in started;
afterAll(() => (isMissing ? undefined : started.stop()));

describe.skipIf(isMissing)('at a real server', () => {
  describeChangeFaults(createBlueskySubject(started as BlueskyPds));
});
