// CPU time of a post from its commit to its webhook, in light and steady traffic and in backlogs.
import { createCpuRow } from '../../cpu-row.ts';
import { addAccounts } from '../../endpoints.ts';
import { commitPostsTo } from '../../posts.ts';
import type { Row } from '../../result.ts';

const accounts = 30;

export const postCpu = createCpuRow({
  id: 'post_cpu',
  title:
    'CPU milliseconds of program, Postgres and Temporal for each post, from commit to webhook: ' +
    '1 and 20 posts/s, 600 at once, and 300 with 3 targets at once; against the bare chain',
  main: 'paced_20',
  limitMs: 160_000,
  async listCases(installation) {
    const accountIds = await addAccounts(installation, accounts);
    const one = commitPostsTo(installation, accountIds, 1);
    const three = commitPostsTo(installation, accountIds, 3);
    return [
      { id: 'paced_1', count: 20, perSecond: 1, targets: 1, commit: one },
      { id: 'paced_20', count: 300, perSecond: 20, targets: 1, commit: one },
      { id: 'backlog', count: 600, perSecond: null, targets: 1, commit: one },
      { id: 'backlog_3', count: 300, perSecond: null, targets: 3, commit: three },
    ];
  },
});

const few = 200;
const many = 2_000;

const backlogs = createCpuRow({
  id: 'waiting_cost',
  title: `CPU milliseconds for each post of a backlog of ${many}, against a backlog of ${few}`,
  main: 'many',
  limitMs: 120_000,
  async listCases(installation) {
    const commit = commitPostsTo(installation, await addAccounts(installation, accounts), 1);
    return [
      { id: 'few', count: few, perSecond: null, targets: 1, commit },
      { id: 'many', count: many, perSecond: null, targets: 1, commit },
    ];
  },
});

/** Whether a post costs more when many others wait. */
export const waitingCost: Row = {
  ...backlogs,
  async run(progress) {
    const result = await backlogs.run(progress);
    const [value, baseline] = [result.details['many_net']!, result.details['few_net']!];
    return { ...result, value, baseline, ratio: value / baseline };
  },
};
