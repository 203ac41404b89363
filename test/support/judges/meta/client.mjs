// Calls a simulator with Meta's client of its Graph API. Prints how the client read each answer.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.env.META_SDK, 'package.json'));
export const sdk = require('facebook-nodejs-business-sdk');
export const input = JSON.parse(process.env.INPUT);
export const graph = process.env.GRAPH_URL;

for (const host of ['GRAPH', 'GRAPH_VIDEO']) {
  Object.defineProperty(sdk.FacebookAdsApi, host, { get: () => graph });
}
/** Opens an API that doesn't report crashes to Meta. */
export const open = (token) => new sdk.FacebookAdsApi(token, 'en_US', false);
export const api = open(input.pageToken);
export const user = new sdk.User('me', {}, undefined, open(input.userToken));

/** Removes the client's own members from what it found. */
const toData = (found) => (Array.isArray(found) ? found.map(toData) : (found?._data ?? found));

export async function step(name, call) {
  try {
    const data = toData(await call());
    console.log(JSON.stringify({ step: name, data }));
    return data;
  } catch (error) {
    const { status, response, message } = error;
    if (response === undefined) throw error;
    const { code, error_subcode: subcode } = response;
    console.log(JSON.stringify({ step: name, error: { status, code, subcode, message } }));
    return {};
  }
}

/** Reads what the user's login reaches. `ofPage`: the fields of a page. */
export async function readLogin(ofPage) {
  await step('accounts', () => user.getAccounts(ofPage, { limit: 100 }));
  await step('businesses', () => user.getBusinesses(['id', 'name'], { limit: 100 }));
  const owner = new sdk.Business(input.business, {}, undefined, open(input.userToken));
  await step('owned pages', () => owner.getOwnedPages(ofPage, { limit: 100 }));
  await step('client pages', () => owner.getClientPages(ofPage, { limit: 100 }));
  await step('permissions', () => user.getPermissions([]));
}
