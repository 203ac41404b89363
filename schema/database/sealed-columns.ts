// Every column that the vault seals.

export interface SealedColumn {
  table: string;
  primaryKey: readonly string[];
  column: string;
  keyColumn: string;
  /** The context that the vault binds the row's ciphertext to, as an SQL expression. */
  context: string;
}

const sealedColumn = (table: string, column: string, part = ''): SealedColumn => ({
  table,
  primaryKey: ['id'],
  column,
  keyColumn: `${column}_key_id`,
  context: `'${table}/' || id || '${part}'`,
});

/** Columns whose key ids are indexed. */
export const indexedColumns: readonly SealedColumn[] = [
  sealedColumn('grants', 'credentials'),
  sealedColumn('platform_apps', 'client_secret'),
  sealedColumn('post_results', 'provider_state'),
  sealedColumn('account_checks', 'progress'),
  sealedColumn('webhook_subscriptions', 'secret'),
  sealedColumn('webhook_subscriptions', 'previous_secret'),
];

/**
 * The key IDs of answers are not indexed, because an index slows every write. Answers are kept for one day,
 * so `checkVault` finds old vault keys by reading the oldest answers.
 */
export const answers: SealedColumn = {
  ...sealedColumn('idempotency_keys', 'answer'),
  primaryKey: ['project_id', 'key'],
  context: `'idempotency_keys/' || project_id || '/' || key`,
};

/** If the key of a flow is gone, its user begins the login again. So no start requires the key. */
const flows = sealedColumn('connect_sessions', 'flow', '/flow');

export const sealedColumns: readonly SealedColumn[] = [...indexedColumns, answers, flows];
