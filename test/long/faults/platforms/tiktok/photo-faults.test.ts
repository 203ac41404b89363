// Every fault in every stage of a target with photos, whose commit leaves no proof.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { tiktokPhotos } from '../../../../support/networks/tiktok/subject.ts';

describeFaults(toKind(tiktokPhotos));
