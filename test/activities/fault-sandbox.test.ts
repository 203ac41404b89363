// Every fault in every stage of a target, at the sandbox itself.
import { describeFaults } from '../support/networks/fault-matrix.ts';
import { describeFaultPairs } from '../support/networks/fault-pairs.ts';
import { createSandboxKind } from '../support/networks/sandbox-network.ts';

describeFaults(createSandboxKind);
describeFaultPairs(createSandboxKind);
