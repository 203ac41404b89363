// A run survives a worker that fails at any of its steps: a thread, or a first comment.
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { sandbox } from '../../../../support/networks/contract/sandbox.ts';

describeStepFailures(toKind(sandbox), ['thread', 'commented']);
