// LinkedIn passes the contract of networks, at its simulator: with a page, and with a member.
import { describe } from 'vitest';
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { describeFaultCases } from '../../../support/networks/contract/fault-cases.ts';
import { linkedinMember, linkedinPage } from '../../../support/networks/linkedin/subject.ts';

describeContract(linkedinPage);
// Only the check of a lost answer differs. `test/long/contract-variants.test.ts` runs the other cases.
describe('linkedin with a member', () => describeFaultCases(linkedinMember));
