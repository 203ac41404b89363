// The errors of the sandbox network, in its own format.

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }

  toResponse(): Response {
    const { status, code, message, headers } = this;
    return Response.json({ error: { code, message } }, { status, headers });
  }
}
