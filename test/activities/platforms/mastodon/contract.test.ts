// Mastodon and GoToSocial pass the contract of networks, with a pasted token and by consent.
import { describe } from 'vitest';
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { describeLiveCases } from '../../../support/networks/contract/live-cases.ts';
import {
  goToSocial,
  mastodon,
  mastodonByConsent,
} from '../../../support/networks/mastodon/subject.ts';

describeContract(mastodon);
describeContract(goToSocial);
describe('mastodon, by consent', () => describeLiveCases(mastodonByConsent));
