// Event types as the API of webhooks writes them.

/** `POST_PUBLISHED` as in webhooks: `post.published`. */
export const eventName = (event: string): string => event.toLowerCase().replace('_', '.');
