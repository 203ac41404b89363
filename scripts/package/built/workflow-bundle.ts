// Instead of activities/dispatch/workflow-bundle.ts: the package contains the workflow bundle.
import { fileURLToPath } from 'node:url';
import type * as builder from '../../../activities/dispatch/workflow-bundle.ts';

export const workflowBundle: typeof builder.workflowBundle = async () => ({
  codePath: fileURLToPath(new URL('workflows.js', import.meta.url)),
});
