// X passes the contract of networks, at its simulator, where an operator pays for reading posts.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { twitterReading } from '../../../support/networks/twitter/subject.ts';

describeContract(twitterReading);
