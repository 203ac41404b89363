// A run survives a worker that fails at any of its steps, at a network whose posts a search finds.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { linkedinPage } from '../../../../support/networks/linkedin/subject.ts';
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';

describeStepFailures(toKind(linkedinPage));
