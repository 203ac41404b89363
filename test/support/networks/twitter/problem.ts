// How the simulated X refuses a request.
import { Refusal } from '../strict-requests.ts';

const base = 'https://api.x.com/2/problems';

/** @see https://docs.x.com/x-api/fundamentals/response-codes-and-errors */
export class Problem extends Refusal {
  readonly members: Record<string, unknown>;

  constructor(status: number, members: Record<string, unknown>, headers = {}) {
    super(status, '', String(members['detail']), headers);
    this.members = members;
  }

  override toResponse(): Response {
    const { status, members, headers } = this;
    return Response.json(members, { status, headers });
  }
}

/** A problem without its own type. Most of X's problems have none. */
export const plain = (status: number, title: string, detail = title, headers = {}) =>
  new Problem(status, { title, detail, type: 'about:blank', status }, headers);

export const forbidden = (detail: string) => plain(403, 'Forbidden', detail);

export const named = (status: number, type: string, title: string, detail: string) =>
  new Problem(status, { title, detail, type: `${base}/${type}`, status });

/** A problem with a parameter: https://github.com/xdevplatform/playground */
export const invalid = (message: string, parameters: Record<string, unknown> = {}) =>
  new Problem(400, {
    errors: [{ parameters, message }],
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: `${base}/invalid-request`,
  });
