// Every fault in every stage of a target, at a network that shows nobody what it has.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { telegram } from '../../../../support/networks/telegram/subject.ts';

describeFaults(toKind(telegram));
describeFaultPairs(toKind(telegram));
