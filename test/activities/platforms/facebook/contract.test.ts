// Facebook passes the contract of networks, at its simulator.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { facebook } from '../../../support/networks/facebook/subject.ts';

describeContract(facebook);
