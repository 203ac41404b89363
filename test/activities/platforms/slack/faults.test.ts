// Every fault in every stage of a target, at a network whose posts can be searched.
import { toKind } from '../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../support/networks/fault-matrix.ts';
import { slackSubject } from '../../../support/networks/slack/subject.ts';

describeFaults(toKind(slackSubject));
describeFaultPairs(toKind(slackSubject));
