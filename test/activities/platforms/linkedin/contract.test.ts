// LinkedIn passes the contract of networks, at its simulator: with a member, and with a page.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { linkedinMember, linkedinPage } from '../../../support/networks/linkedin/subject.ts';

describeContract(linkedinMember);
describeContract(linkedinPage);
