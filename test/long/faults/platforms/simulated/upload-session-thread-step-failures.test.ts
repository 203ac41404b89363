// A run survives a worker that fails at any of its steps: a thread.
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';
import { uploadSession } from '../../../../support/networks/upload-session.ts';

describeStepFailures(uploadSession, ['thread']);
