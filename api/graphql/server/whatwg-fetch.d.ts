// Stands in for the types of @whatwg-node/fetch, which would bring all of the browser's into the project.
export const Response: typeof globalThis.Response;

export function createFetch(): Pick<
  typeof globalThis,
  | 'fetch'
  | 'Request'
  | 'Response'
  | 'Headers'
  | 'FormData'
  | 'ReadableStream'
  | 'WritableStream'
  | 'TransformStream'
  | 'CompressionStream'
  | 'DecompressionStream'
  | 'TextDecoderStream'
  | 'TextEncoderStream'
  | 'Blob'
  | 'File'
  | 'crypto'
  | 'btoa'
  | 'TextEncoder'
  | 'TextDecoder'
  | 'URLPattern'
  | 'URL'
  | 'URLSearchParams'
>;
