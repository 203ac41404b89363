// Every fault in every stage of a target.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { facebook } from '../../../../support/networks/facebook/subject.ts';

describeFaults(toKind(facebook));
describeFaultPairs(toKind(facebook));
