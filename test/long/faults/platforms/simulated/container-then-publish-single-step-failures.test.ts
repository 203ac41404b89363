// A run survives a worker that fails at any of its steps: one post.
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';
import { containerThenPublish } from '../../../../support/networks/container-then-publish.ts';

describeStepFailures(containerThenPublish, ['single']);
