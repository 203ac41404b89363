// Every fault in every stage of a target with a carousel.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { instagramWithCarousel } from '../../../../support/networks/instagram/subject.ts';

describeFaults(toKind(instagramWithCarousel));
