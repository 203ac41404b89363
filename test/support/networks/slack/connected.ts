// The connector of Slack, connected to a channel of the simulator over HTTP.
import { createSlack } from '../../../../activities/platforms/slack/index.ts';
import type { Target } from '../../../../activities/platforms/platform.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { SlackServer } from './server.ts';
import { prepareTarget, targetOf } from '../target.ts';
import { formOf, type Connection } from '../connection.ts';

const never = new AbortController().signal;

export async function startSlack() {
  const server = new SlackServer();
  const { url, close } = await startFaultyServer(server, createSwitchboard());
  const slack = createSlack({ fetch, apiUrl: `${url}/api` });

  const connect = (change: Record<string, string> = {}): Promise<Connection> => {
    const { credentials, run } = formOf(slack);
    const given = { bot_token: server.token, channel: server.channel, ...change };
    return run(credentials.parse(given), never);
  };

  const connection = await connect();
  const target = (change?: Partial<Target>) => targetOf(connection, change);

  return {
    server,
    slack,
    connect,
    target,
    prepare: (given: Target) => prepareTarget(slack, given, never),
    commit: (given: Target) => slack.commit(given, never),
    reconcile: (given: Target) => slack.reconcile!(given, never),
    /** Prepares and commits. Returns the id and the URL of the post. */
    async publish(change: Partial<Target> = {}) {
      const given = target(change);
      const state = await prepareTarget(slack, given, never);
      const outcome = await slack.commit({ ...given, state }, never);
      if (outcome.outcome !== 'published') throw new Error('The post was not published.');
      return outcome.published;
    },
    [Symbol.asyncDispose]: close,
  };
}
