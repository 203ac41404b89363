// Telegram passes the contract of all networks.
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { telegram } from '../../../support/networks/telegram/subject.ts';

describeContract(telegram);
