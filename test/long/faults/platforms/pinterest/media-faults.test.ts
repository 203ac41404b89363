// Every fault in every stage of a target with a carousel, and of one with a video.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import {
  pinterestWithCarousel,
  pinterestWithVideo,
} from '../../../../support/networks/pinterest/subject.ts';

describeFaults(toKind(pinterestWithCarousel));
describeFaults(toKind(pinterestWithVideo));
describeFaultPairs(toKind(pinterestWithVideo));
