// A worker that ends at each step of a run in turn, at the sandbox itself.
import { describeWalks } from '../support/networks/walks.ts';
import { createSandboxKind } from '../support/networks/sandbox-network.ts';

describeWalks(createSandboxKind);
