// The sandbox passes the contract of networks.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { sandbox } from '../../../support/networks/contract/sandbox.ts';

describeContract(sandbox);
