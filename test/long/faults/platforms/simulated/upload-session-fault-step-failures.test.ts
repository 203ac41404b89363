// A run survives a worker that fails at any of its steps: one post, with a fault of the network.
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';
import { uploadSession } from '../../../../support/networks/upload-session.ts';

describeStepFailures(uploadSession, ['single'], true);
