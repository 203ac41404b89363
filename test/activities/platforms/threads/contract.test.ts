// Threads passes the contract of networks, at its simulator.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { describeChangeCases } from '../../../support/networks/contract/change-cases.ts';
import { threads, threadsWithDelete } from '../../../support/networks/threads/subject.ts';

describeContract(threads);
describeChangeCases(threadsWithDelete);
