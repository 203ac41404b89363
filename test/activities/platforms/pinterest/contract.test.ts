// Pinterest passes the contract of networks, at its simulator.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { pinterest } from '../../../support/networks/pinterest/subject.ts';

describeContract(pinterest);
