// What leads to accounts from other resources, in GraphQL.
import { ConnectSessionRef } from '../connect/graphql.ts';
import { EventRef } from '../events/graphql.ts';
import { linkOne } from '../graphql/links.ts';
import { PostResultRef } from '../posts/graphql/shapes.ts';
import { AccountRef, accountNodes } from './graphql.ts';

const link = { type: AccountRef, load: accountNodes.load };

linkOne(PostResultRef, 'account', {
  ...link,
  description: 'The target.',
  idOf: (result) => result.social_account_id,
});

linkOne(EventRef, 'account', {
  ...link,
  description: 'What it is about. Null: not an account.',
  idOf: (event) => event.social_account_id,
});

linkOne(ConnectSessionRef, 'completedSocialAccount', {
  ...link,
  description: 'What was connected. Null: nothing yet.',
  idOf: (session) => session.completed_social_account_id,
});
