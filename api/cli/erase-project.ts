// The command `projects erase`: deletes a project with its posts, events, keys and media.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkMediaFolder } from '../../activities/media/store/marker.ts';
import { checkStore, openStore } from '../../activities/media/store/open.ts';
import type { MediaStore } from '../../activities/media/store/store.ts';
import type { Config } from '../../schema/config/config.ts';
import { deletePause } from '../../schema/database/pauses.ts';
import {
  countInUse,
  deleteProject,
  deleteSomeOf,
  findProjectRow,
  listMediaOf,
  revokeKeysOf,
} from '../../schema/database/projects.ts';
import type { Db } from '../../schema/database/tables.ts';
import { countOf } from '../../schema/wire/count-of.ts';
import type { Answer } from './output/answer.ts';
import { InvalidArgument } from './output/invalid-argument.ts';

export interface EraseFlags {
  project?: string | undefined;
  yes?: boolean | undefined;
}

const batchSize = 1_000;

/** Can be repeated after an interruption. Throws an InvalidArgument. */
export async function eraseProject(
  db: Db,
  config: Pick<Config, 'media' | 'dataDirectory'>,
  { project: id, yes }: EraseFlags,
): Promise<Answer> {
  if (!id) throw new InvalidArgument('--project is required.');
  const project = await findProjectRow(db, id);
  if (!project) throw new InvalidArgument(`No project has the ID ${id}.`);
  if (!yes) {
    throw new InvalidArgument(
      `This deletes the project ${project.name} with its posts, media, events, webhooks and keys. Add --yes.`,
    );
  }
  const known = await listMediaOf(db, id);
  let store = known.length > 0 ? await openCheckedStore(db, config) : undefined;
  // Before the rest, so that its clients don't add to what is deleted. A refusal revokes nothing, because a
  // disconnection needs a key.
  await db.transaction().execute(async (trx) => {
    await revokeKeysOf(trx, id);
    await refuseInUse(trx, id);
  });
  const media = await listMediaOf(db, id);
  // Before their rows, so that no bytes are left without a row.
  for (const mediaId of media) {
    store ??= await openCheckedStore(db, config);
    await store.removeFolder(mediaId);
  }
  const deleteAll = async (table: 'events' | 'posts' | 'social_accounts') => {
    while (await deleteSomeOf(db, id, table, batchSize));
  };
  await deleteAll('posts');
  await deleteAll('social_accounts');
  await deleteAll('events');
  await deleteProject(db, id);
  // Those that were recorded in the meantime.
  await deleteAll('events');
  await deletePause(db, id);
  return {
    text: `Erased ${project.name} with ${countOf(media.length, 'file')}.`,
    data: { id, name: project.name, media: media.length },
  };
}

/** Only a disconnection ends the logins at the networks. */
async function refuseInUse(db: Db, id: string): Promise<void> {
  const { accounts, posts } = await countInUse(db, id);
  if (accounts > 0) {
    throw new InvalidArgument(
      `The project has ${countOf(accounts, 'connected account')}. Disconnect each with DELETE /v1/accounts/:id first.`,
    );
  }
  if (posts > 0) {
    throw new InvalidArgument(
      `The project has ${countOf(posts, 'post')} in progress. Wait until they have ended.`,
    );
  }
}

/** Throws if the store can't be used, or is not that of the database. */
async function openCheckedStore(
  db: Db,
  { media, dataDirectory }: Pick<Config, 'media' | 'dataDirectory'>,
): Promise<MediaStore> {
  const folder = resolve(join(dataDirectory, 'media'));
  const url = media.url ?? (existsSync(folder) ? pathToFileURL(folder).href : undefined);
  if (url === undefined) {
    throw new InvalidArgument('The project has media. Set FANFARE_MEDIA_URL as for the server.');
  }
  await checkMediaFolder(db, url);
  await checkStore(url);
  return openStore(url);
}
