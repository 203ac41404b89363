// A worker that ends at each step of a run in turn, at a network that takes a post once per key.
import { toKind } from '../../../support/networks/contract/kind.ts';
import { discordBot } from '../../../support/networks/discord/subject.ts';
import { describeWalks } from '../../../support/networks/walks.ts';

describeWalks(toKind(discordBot));
