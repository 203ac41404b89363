// Replaces the types of @whatwg-node/fetch, which would add all types of the browser to the project.
export const Response: typeof globalThis.Response;

export function createFetch(): typeof globalThis;
