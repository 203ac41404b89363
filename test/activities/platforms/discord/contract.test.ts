// Discord passes the contract of networks with a bot.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { discordBot } from '../../../support/networks/discord/subject.ts';

describeContract(discordBot);
