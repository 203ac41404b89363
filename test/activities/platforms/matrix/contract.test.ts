// Matrix passes the contract of all networks.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { matrix } from '../../../support/networks/matrix/subject.ts';

describeContract(matrix);
