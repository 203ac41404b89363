// Every fault in every stage of a target with an image.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { instagram } from '../../../../support/networks/instagram/subject.ts';

describeFaults(toKind(instagram));
describeFaultPairs(toKind(instagram));
