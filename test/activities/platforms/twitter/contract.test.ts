// X passes the contract of networks, at its simulator, without reading posts.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { twitterBlind } from '../../../support/networks/twitter/subject.ts';

describeContract(twitterBlind);
