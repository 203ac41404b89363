// The connector of WordPress, connected to an author of a simulated site over HTTP.
import { createWordPress } from '../../../../activities/platforms/wordpress/index.ts';
import type { Target, TargetMedia } from '../../../../activities/platforms/platform.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { createSite, type SiteSettings } from './server.ts';
import { prepareTarget, targetOf as createTarget } from '../target.ts';
import { formOf } from '../connection.ts';
import { loginOf } from '../../rows/grants.ts';

const never = new AbortController().signal;

export async function startConnected(settings: SiteSettings = {}) {
  const site = createSite(settings);
  const author = site.addUser('ada', 'author');
  const { url, close } = await startFaultyServer(site, createSwitchboard());
  const wordpress = createWordPress({ fetch });

  const connect = (change: Record<string, string> = {}) => {
    const { credentials, run } = formOf(wordpress);
    const given = {
      site: `${url}${settings.folder ?? ''}`,
      username: author.login,
      application_password: author.password,
      ...change,
    };
    return run(credentials.parse(given), never);
  };
  const connection = await connect();

  const targetOf = (change?: Partial<Target>) => createTarget(connection, change);

  return {
    site,
    author,
    url,
    host: new URL(url).host,
    connect,
    connection,
    targetOf,
    wordpress,
    prepare: (target: Target) => prepareTarget(wordpress, target, never),
    commit: (target: Target) => wordpress.commit(target, never),
    reconcile: (target: Target) => wordpress.reconcile!(target, never),
    revoke: () => wordpress.revoke!(loginOf(connection.credentials), never),
    /** What the site stores for a post with this caption and these options. */
    async publish(
      caption: string,
      platformOptions: Record<string, unknown> = {},
      media: readonly TargetMedia[] = [],
    ) {
      const target = targetOf({ caption, platformOptions, media });
      const state = await prepareTarget(wordpress, target, never);
      await wordpress.commit({ ...target, state }, never);
      return site.posts.at(-1)!.fields;
    },
    [Symbol.asyncDispose]: close,
  };
}
