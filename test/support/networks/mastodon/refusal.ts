// Refusals of the Mastodon server.

/** @see https://docs.joinmastodon.org/entities/Error/ */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
