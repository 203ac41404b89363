// Every fault in every stage of a target with an image, and of one with a carousel.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import {
  threadsWithCarousel,
  threadsWithImage,
} from '../../../../support/networks/threads/subject.ts';

describeFaults(toKind(threadsWithImage));
describeFaults(toKind(threadsWithCarousel));
