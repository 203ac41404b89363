// Discord passes the contract of networks with a webhook.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { discordWebhook } from '../../../support/networks/discord/subject.ts';

describeContract(discordWebhook);
