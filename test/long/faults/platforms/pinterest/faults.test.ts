// Every fault in every stage of a target with an image.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { pinterest } from '../../../../support/networks/pinterest/subject.ts';

describeFaults(toKind(pinterest));
describeFaultPairs(toKind(pinterest));
