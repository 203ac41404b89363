// Where the client runs.

/** Whether it is a browser or an app, in the hands of its user. */
export function isWithUser(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: string; product?: string } };
  return (
    'document' in globalThis ||
    navigator?.product === 'ReactNative' ||
    (navigator?.userAgent ?? '').startsWith('Mozilla/')
  );
}
