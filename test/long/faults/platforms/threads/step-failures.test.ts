// A run survives a worker that fails at any of its steps, at a network that publishes containers.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { threads } from '../../../../support/networks/threads/subject.ts';
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';

describeStepFailures(toKind(threads));
