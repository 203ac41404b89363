// YouTube passes the contract of networks, at its simulator.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { youtube } from '../../../support/networks/youtube/subject.ts';

describeContract(youtube);
