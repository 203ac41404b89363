// Instagram passes the contract of networks, at its simulator.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { instagram } from '../../../support/networks/instagram/subject.ts';

describeContract(instagram);
