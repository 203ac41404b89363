// Serves the image of checks at public URLs, as an installation does.
import { pino } from 'pino';
import { createPublicUrls, type PublicUrls } from '../../../activities/platforms/public-urls.ts';
import type { Context } from '../../../api/http/context.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { startPublicMedia } from '../media/public-media-server.ts';
import { rowsVault } from '../rows/rows.ts';

export interface MediaHost extends AsyncDisposable {
  readonly publicUrls: PublicUrls;
}

export async function startMediaHost(db: Db): Promise<MediaHost> {
  const anywhere = 'http://media.test';
  const context: Partial<Context> = {
    db,
    log: pino({ level: 'silent' }),
    publicUrl: anywhere,
    publicUrls: createPublicUrls(rowsVault, anywhere),
  };
  const server = await startPublicMedia(context as Context, {});
  return {
    publicUrls: publicUrlsAt(server.at(anywhere)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Makes URLs of the image at another address, which may serve something else. */
export const publicUrlsAt = (url: string): PublicUrls =>
  createPublicUrls(rowsVault, new URL(url).origin);
