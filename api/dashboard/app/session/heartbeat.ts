// A quiet stream on every page. It shows at once when the server is gone, or when the session has ended.
import { useEffect } from 'react';
import { useClient } from 'urql';
import { useSession } from './session.ts';
import { graphql } from '../api/schema.ts';
import { follow, type StreamDocument } from '../api/streams.ts';

const Webhooks = graphql(`
  subscription WebhookHeartbeat($after: String) {
    webhookUpdated(after: $after) {
      cursor
      change
    }
  }
`);
const Accounts = graphql(`
  subscription AccountHeartbeat($after: String) {
    accountUpdated(after: $after) {
      cursor
      change
    }
  }
`);
const Posts = graphql(`
  subscription PostHeartbeat($after: String) {
    postUpdated(after: $after) {
      cursor
      change
    }
  }
`);

/** The first one that the key may follow, from the quietest on. */
export function useHeartbeat(): void {
  const client = useClient();
  const { scopes } = useSession().apiKey;
  const document: StreamDocument | undefined = scopes.includes('WEBHOOKS_READ')
    ? Webhooks
    : scopes.includes('ACCOUNTS_READ')
      ? Accounts
      : scopes.includes('POSTS_READ')
        ? Posts
        : undefined;
  useEffect(() => {
    if (!document) return;
    return follow(client, { document }, { onOpen: () => {}, onUpdate: () => {} });
  }, [client, document]);
}
