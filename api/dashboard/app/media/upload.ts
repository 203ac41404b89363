// Sends a file in parts, and continues after a break. See docs/media.md.

/** A multiple of 262,144 bytes. */
const partBytes = 8 * 1_048_576;
const mostFailures = 20;
const waitMs = 2_000;

export interface UploadOptions {
  file: Blob;
  uploadUrl: string;
  signal: AbortSignal;
  onProgress(sentBytes: number): void;
}

interface Answer {
  status: number;
  data?: { received_bytes: number };
  error?: { message: string; issues?: { message: string }[] };
}

/** Throws an error whose message is for people. */
export async function upload({
  file,
  uploadUrl,
  signal,
  onProgress,
}: UploadOptions): Promise<void> {
  /** The bytes that have arrived. Undefined: only the server knows. */
  let received: number | undefined;
  for (let failures = 0; failures < mostFailures;) {
    const answer = await (received === undefined ? ask() : sendPart(received));
    if (answer.status === 200) return;
    if (answer.status === 308) {
      received = answer.data?.received_bytes ?? 0;
      onProgress(received);
      continue;
    }
    received = undefined;
    const isFinal = answer.status >= 400 && answer.status < 500 && answer.status !== 409;
    if (isFinal && answer.status !== 408) throw new Error(toText(answer));
    failures++;
    await wait(waitMs, signal);
  }
  throw new Error('The upload broke off too often. Try again.');

  /** Asks where to continue. */
  function ask(): Promise<Answer> {
    return put(`*/${file.size}`, null, 0);
  }

  function sendPart(from: number): Promise<Answer> {
    const part = file.slice(from, from + partBytes);
    return put(`${from}-${from + part.size - 1}/${file.size}`, part, from);
  }

  /** `fetch` reports no progress of what it sends. */
  function put(range: string, body: Blob | null, from: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const abort = () => request.abort();
      signal.addEventListener('abort', abort, { once: true });
      request.open('PUT', uploadUrl);
      request.setRequestHeader('Content-Range', `bytes ${range}`);
      if (body) {
        request.upload.addEventListener('progress', ({ loaded }) => onProgress(from + loaded));
      }
      request.addEventListener('load', () =>
        resolve({ status: request.status, ...parse(request.responseText) }),
      );
      request.addEventListener('error', () => resolve({ status: 503 }));
      request.addEventListener('abort', () => reject(canceled()));
      request.addEventListener('loadend', () => signal.removeEventListener('abort', abort));
      request.send(body);
    });
  }
}

function toText({ error }: Answer): string {
  const [issue] = error?.issues ?? [];
  return issue ? `The file ${issue.message}.` : (error?.message ?? 'The file was refused.');
}

function parse(text: string): Partial<Answer> {
  try {
    return JSON.parse(text) as Partial<Answer>;
  } catch {
    return {};
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(canceled());
    });
  });
}

const canceled = () => new DOMException('The upload was canceled.', 'AbortError');
