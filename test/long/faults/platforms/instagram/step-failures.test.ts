// A run survives a worker that fails at any of its steps, at a network that publishes containers.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { instagram } from '../../../../support/networks/instagram/subject.ts';
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';

// Instagram takes no threads.
describeStepFailures(toKind(instagram), ['single', 'commented']);
