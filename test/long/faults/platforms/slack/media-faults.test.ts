// Every fault in every stage of a target with an image, at a network that shares files after the commit.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { slackWithPictures, slackWithVideo } from '../../../../support/networks/slack/subject.ts';

describeFaults(toKind(slackWithPictures));
describeFaults(toKind(slackWithVideo));
describeFaultPairs(toKind(slackWithVideo));
