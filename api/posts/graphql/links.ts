// What leads to posts from other resources, in GraphQL.
import { DeliveryRef } from '../../deliveries/graphql.ts';
import { EventRef } from '../../events/graphql.ts';
import { linkOne } from '../../graphql/links.ts';
import { postNodes, PostRef } from './shapes.ts';

linkOne(EventRef, 'post', {
  type: PostRef,
  load: postNodes.load,
  description: 'What it is about, as it stands now. Null: not a post, or one that is deleted.',
  idOf: (event) => event.post_id,
});

linkOne(DeliveryRef, 'post', {
  type: PostRef,
  load: postNodes.load,
  description:
    'What its event is about, as it stands now. Null: not a post, or one that is deleted.',
  idOf: (delivery) => delivery.post_id,
});
