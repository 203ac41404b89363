// Two faults in one target, at the sandbox itself.
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { sandbox } from '../../../../support/networks/contract/sandbox.ts';

describeFaultPairs(toKind(sandbox));
