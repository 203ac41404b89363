// Every fault before and in the commit of a target with media, at the sandbox itself.
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { sandboxWithMedia } from '../../../../support/networks/contract/sandbox.ts';

describeFaults(toKind(sandboxWithMedia), ['prepare', 'commit']);
