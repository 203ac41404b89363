// Threads passes the contract of networks, at its simulator.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { threads } from '../../../support/networks/threads/subject.ts';

describeContract(threads);
