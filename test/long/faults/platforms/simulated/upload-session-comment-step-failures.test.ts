// A run survives a worker that fails at any of its steps: a post with a first comment.
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';
import { uploadSession } from '../../../../support/networks/upload-session.ts';

describeStepFailures(uploadSession, ['commented']);
