// What this process has taken of each webhook's deliveries and not yet attempted or released.

export interface InHand {
  /** Counts the delivery for as long as the work on it lasts. */
  during<T>(webhookId: string, work: () => Promise<T>): Promise<T>;
  /** Webhooks of which it has enough: more of theirs would only wait here instead of in Postgres. */
  full(): string[];
}

export function createInHand(enough: number): InHand {
  const counts = new Map<string, number>();

  function add(webhookId: string, count: number): void {
    const sum = (counts.get(webhookId) ?? 0) + count;
    if (sum === 0) counts.delete(webhookId);
    else counts.set(webhookId, sum);
  }

  return {
    async during(webhookId, work) {
      add(webhookId, 1);
      try {
        return await work();
      } finally {
        add(webhookId, -1);
      }
    },
    full: () => [...counts].filter(([, count]) => count >= enough).map(([webhookId]) => webhookId),
  };
}
