// Bluesky passes the contract of networks, at its own server.
import { afterAll, describe } from 'vitest';
import { startBlueskyPds, type BlueskyPds } from '../../support/servers/bluesky-pds.ts';
import {
  createBlueskyConsentSubject,
  createBlueskySubject,
} from '../../support/networks/contract/bluesky.ts';
import { describeFaultCases } from '../../support/networks/contract/fault-cases.ts';
import { describeContract } from '../../support/networks/contract/contract.ts';

const started = await startBlueskyPds();
const isMissing = 'skipped' in started;
afterAll(() => (isMissing ? undefined : started.stop()));

describe.skipIf(isMissing)('at a real server', () => {
  describeContract(createBlueskySubject(started as BlueskyPds));

  describe('with a consent', () => {
    describeFaultCases(createBlueskyConsentSubject(started as BlueskyPds));
  });
});
