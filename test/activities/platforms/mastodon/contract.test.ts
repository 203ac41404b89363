// Mastodon and GoToSocial pass the contract of networks.
import { describe } from 'vitest';
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { describeFaultCases } from '../../../support/networks/contract/fault-cases.ts';
import { goToSocial, mastodon } from '../../../support/networks/mastodon/subject.ts';

describeContract(mastodon);
// `test/long/contract-variants.test.ts` runs the other cases.
describe('mastodon, at GoToSocial', () => describeFaultCases(goToSocial));
