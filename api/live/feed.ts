// The live feed of this process: what changed, in order, read once and shared by all streams.
import type { ChangeRow } from '../../schema/database/database.ts';

export interface Feed {
  /** Every change after `cursor` (default: from now on), in order. Ends when the signal aborts. */
  changes(options: {
    projectId: string;
    subject: ChangeRow['subject'];
    subjectId?: string;
    after?: string;
    signal: AbortSignal;
  }): AsyncGenerator<{ cursor: string; change: ChangeRow }>;
  close(): Promise<void>;
}
