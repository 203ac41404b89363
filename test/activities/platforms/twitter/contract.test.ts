// X passes the contract of networks, at its simulator, whether or not an operator pays for reading posts.
import { describe } from 'vitest';
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { describeFaultCases } from '../../../support/networks/contract/fault-cases.ts';
import { twitterBlind, twitterReading } from '../../../support/networks/twitter/subject.ts';

describeContract(twitterReading);
// Only the check of a lost answer differs. `test/long/contract-variants.test.ts` runs the other cases.
describe('twitter, without reading posts', () => describeFaultCases(twitterBlind));
