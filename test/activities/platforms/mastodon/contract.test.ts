// Mastodon passes the contract of networks.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { mastodon } from '../../../support/networks/mastodon/subject.ts';

describeContract(mastodon);
