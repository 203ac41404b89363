// One of a network's ways to connect.
import type { z } from 'zod';
import type { ConnectWay, Platform } from '../../activities/platforms/platform.ts';

export interface SelectedWay {
  platform: Platform;
  /** Position in `platform.connect`. */
  index: number;
}

/** Undefined: the network has no such way. */
export function wayOf({ platform, index }: SelectedWay): ConnectWay | undefined {
  return platform.connect[index];
}

/** The schema of what the way asks the user for. */
export function fieldsOf(way: ConnectWay): z.ZodType<Record<string, string>> | undefined {
  return way.kind === 'form' ? way.fields : way.inputs;
}
