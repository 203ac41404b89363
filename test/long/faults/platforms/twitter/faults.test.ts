// Every fault in every stage of a target at X, whether or not lost posts are searched for.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { twitterBlind, twitterReading } from '../../../../support/networks/twitter/subject.ts';

for (const subject of [twitterReading, twitterBlind]) {
  describeFaults(toKind(subject));
  describeFaultPairs(toKind(subject));
}
