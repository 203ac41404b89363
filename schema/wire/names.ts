// Messages that name fields and operations, which each API writes in its own way.

/** The place of a value in a request: `['platform_posts', 1, 'account_id']`. */
export type Path = readonly (string | number)[];

/** The REST call of each operation that a message names. */
export const calls = {
  connectAccount: 'POST /v1/accounts/connect',
  createConnectSession: 'POST /v1/connect/sessions',
  setPlatformApp: 'PUT /v1/platform-credentials/:platform',
  updateProject: 'PATCH /v1/project',
  updateQueue: 'PATCH /v1/queues/:id',
  updateWebhook: 'PATCH /v1/webhooks/:id',
} as const;

/** How an API writes names. They are given as in REST. */
export interface Names {
  readonly field: (name: string) => string;
  readonly operation: (name: keyof typeof calls) => string;
  /** A parameter of the query with its value. */
  readonly parameter: (name: string, value: string) => string;
  readonly path: (path: Path) => string;
}

/** A sentence for people. It is a function if it names fields or operations. */
export type Text = string | ((names: Names) => string);

export const restNames: Names = {
  field: (name) => `\`${name}\``,
  operation: (name) => `\`${calls[name]}\``,
  parameter: (name, value) => `\`?${name}=${value}\``,
  path: writePath,
};

export function render(text: Text, names: Names = restNames): string {
  return typeof text === 'string' ? text : text(names);
}

/** `['platform_posts', 1, 'account_id']` → `platform_posts[1].account_id`. An empty path is the body's. */
export function writePath(path: Path): string {
  if (path.length === 0) return 'body';
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    if (!/^[A-Za-z_][\w-]*$/.test(part)) return `${text}[${JSON.stringify(part)}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}
