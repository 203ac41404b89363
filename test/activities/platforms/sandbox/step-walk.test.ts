// A worker that ends at each step of a run in turn, at the sandbox itself.
import { describeWalks } from '../../../support/networks/walks.ts';
import { toKind } from '../../../support/networks/contract/kind.ts';
import { sandbox } from '../../../support/networks/contract/sandbox.ts';

describeWalks(toKind(sandbox));
