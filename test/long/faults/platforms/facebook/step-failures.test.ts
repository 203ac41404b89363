// A run survives a worker that fails at any of its steps, at a network whose posts a search finds.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { facebook } from '../../../../support/networks/facebook/subject.ts';
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';

describeStepFailures(toKind(facebook), ['single', 'commented']);
