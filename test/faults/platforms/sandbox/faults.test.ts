// Every fault in every stage of a target, at the sandbox itself.
import { describeFaults } from '../../../support/networks/fault-matrix.ts';
import { toKind } from '../../../support/networks/contract/kind.ts';
import { sandbox } from '../../../support/networks/contract/sandbox.ts';

describeFaults(toKind(sandbox));
