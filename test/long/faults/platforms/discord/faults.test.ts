// Every fault in every stage of a target, at a network that takes a post once per key.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { discordBot } from '../../../../support/networks/discord/subject.ts';

describeFaults(toKind(discordBot));
describeFaultPairs(toKind(discordBot));
