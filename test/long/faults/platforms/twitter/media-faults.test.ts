// Every fault in every stage of a target with an image, at a network that takes an upload in four steps.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import {
  twitterBlindWithMedia,
  twitterWithMedia,
} from '../../../../support/networks/twitter/subject.ts';

for (const subject of [twitterWithMedia, twitterBlindWithMedia]) {
  describeFaults(toKind(subject));
  describeFaultPairs(toKind(subject));
}
