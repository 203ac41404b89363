// Every fault in every stage of a target with an image, of one with a video for the feed, and of one with a reel.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import {
  facebookWithImage,
  facebookWithReel,
  facebookWithVideo,
} from '../../../../support/networks/facebook/subject.ts';

describeFaults(toKind(facebookWithImage));
describeFaults(toKind(facebookWithVideo));
describeFaults(toKind(facebookWithReel));
