// Every fault in every stage of a target with a video.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { tiktok } from '../../../../support/networks/tiktok/subject.ts';

describeFaults(toKind(tiktok));
describeFaultPairs(toKind(tiktok));
