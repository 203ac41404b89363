// WordPress passes the contract of networks, at a simulated site.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { wordpressSubject } from '../../../support/networks/wordpress/subject.ts';

describeContract(wordpressSubject);
