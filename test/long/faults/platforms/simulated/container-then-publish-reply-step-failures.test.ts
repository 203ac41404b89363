// A run survives a worker that fails at any of its steps: a thread, or a first comment.
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';
import { containerThenPublish } from '../../../../support/networks/container-then-publish.ts';

describeStepFailures(containerThenPublish, ['thread', 'commented']);
