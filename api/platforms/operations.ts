// Lists the networks of this installation with their capabilities.
import type { Capabilities } from '../../schema/platforms/capabilities.ts';
import type { Page } from '../../schema/wire/listing.ts';
import type { Context } from '../http/context.ts';
import { wholePage } from '../http/listing.ts';
import { presentCapabilities } from './presenter.ts';

export function listCapabilities({ platforms }: Context): Page<Capabilities> {
  return wholePage([...platforms.values()].map((platform) => presentCapabilities(platform)));
}
