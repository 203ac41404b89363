// Nostr passes the contract of networks, at a strict relay.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { nostr } from '../../../support/networks/nostr/subject.ts';

describeContract(nostr);
