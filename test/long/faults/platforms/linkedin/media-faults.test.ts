// Every fault in every stage of a target with an image, and of one with a video.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import {
  linkedinPageWithImage,
  linkedinPageWithVideo,
} from '../../../../support/networks/linkedin/subject.ts';

describeFaults(toKind(linkedinPageWithImage));
describeFaultPairs(toKind(linkedinPageWithImage));
describeFaults(toKind(linkedinPageWithVideo));
