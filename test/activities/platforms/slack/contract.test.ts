// Slack passes the contract of networks, at its simulator.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { slackSubject } from '../../../support/networks/slack/subject.ts';

describeContract(slackSubject);
