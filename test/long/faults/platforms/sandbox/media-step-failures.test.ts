// A run survives a worker that fails at any of its steps: one post with media.
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { sandboxWithMedia } from '../../../../support/networks/contract/sandbox.ts';

describeStepFailures(toKind(sandboxWithMedia), ['single']);
