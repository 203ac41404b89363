// One of a network's ways to connect.
import { z } from 'zod';
import type { ConnectMethod, Platform } from '../../activities/platforms/platform.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import type { Context } from '../http/context.ts';

export interface SelectedWay {
  platform: Platform;
  /** Position in `platform.connect`. */
  index: number;
}

export function selectWay(
  { platforms }: Context,
  session: ConnectSessionRow,
  index: number,
): SelectedWay {
  const platform = platforms.get(session.platform);
  if (!platform) throw new Error(`The network ${session.platform} is no longer configured.`);
  return { platform, index };
}

/** Undefined: the network has no such way. */
export function wayOf({ platform, index }: SelectedWay): ConnectMethod | undefined {
  return platform.connect[index];
}

const noInputs = z.strictObject({});

/** The schema of what the way asks the user for. */
export function fieldsOf(way: ConnectMethod): z.ZodType<Record<string, string>> {
  return way.kind === 'form' ? way.fields : (way.inputs ?? noInputs);
}
