// Every fault in every stage of a target at YouTube, with a video of one chunk and with one of two.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { youtube, youtubeWithChunks } from '../../../../support/networks/youtube/subject.ts';

describeFaults(toKind(youtube));
describeFaults(toKind(youtubeWithChunks));
describeFaultPairs(toKind(youtube));
