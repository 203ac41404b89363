// Accounts that log in at Facebook pass the contract of networks, at the simulator.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { instagramOfPage } from '../../../support/networks/instagram/subject.ts';

describeContract(instagramOfPage);
