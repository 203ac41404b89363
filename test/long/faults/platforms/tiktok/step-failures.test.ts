// A run survives a worker that fails at any of its steps, at a network that publishes with the last chunk.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';
import { tiktok } from '../../../../support/networks/tiktok/subject.ts';

// TikTok takes neither threads nor comments.
describeStepFailures(toKind(tiktok), ['single']);
