// The texts of the hosted pages in English. Its type is that of every language.
import { html } from 'hono/html';
import type { Html } from '../prose.ts';

export const en = {
  lang: 'en',
  links: { privacy: 'Privacy policy', terms: 'Terms', support: 'Support' },
  errorTitle: (title: string) => `Error: ${title}`,
  problem: 'There is a problem',
  tryAgain: 'Try again',
  cancel: 'Cancel',
  optional: (label: string | Html) => html`${label} (optional)`,
  failures: {
    unexpected: 'Something went wrong. Try again in a moment.',
    tooLarge: 'The request is too large.',
    unreadable: 'The form could not be read.',
    invalidLink: 'This link is not valid. Go back to the app and ask for a new one.',
    otherBrowser: 'This page was opened in another browser',
    openAgain: (brand: string) => `Go back to ${brand} and open the link again.`,
  },

  connect: {
    title: (network: string) => `Connect your ${network} account`,
    again: (network: string) => `Reconnect your ${network} account`,
    request: (brand: string, network: string, account: string | null) =>
      html`<strong>${brand}</strong> asks to post to ${network} on your
        behalf${account !== null && html` again, as <bdi>${account}</bdi>`}.`,
    logInAt: (place: string) => `You log in at ${place}, and allow it there.`,
    connect: 'Connect',
    continue: 'Continue',
    continueWith: (provider: string) => `Continue with ${provider}`,
    consentInstead: (place: string) => `Log in at ${place} instead`,
    formInstead: (label: string) =>
      `Enter your ${label.charAt(0).toLowerCase()}${label.slice(1)} instead`,
    choose: (network: string) => `Choose your ${network} accounts`,
    logInAgain: 'Log in again',
    returnTo: (brand: string) => `Return to ${brand}`,
    ended: {
      completed: (network: string) => `Connected to ${network}`,
      completedText: (count: number) =>
        `${count > 1 ? 'Your accounts are' : 'Your account is'} connected. You can close this page.`,
      canceled: (network: string) => `Not connected to ${network}`,
      canceledText: 'Your account was not connected. You can close this page.',
      expired: 'This link has expired',
      expiredText: (brand: string) =>
        `Your account is not connected. Go back to ${brand} and ask for a new link.`,
    },
    failed: (network: string) => `Your ${network} account could not be connected`,
    anyFailed: 'Your account could not be connected',
    usedTitle: 'This step is out of date',
    used: 'This step was already used, or you started again. Your account is not connected yet.',
    otherBrowser: 'This page works only in the browser that opened the link, for 30 minutes.',
    failures: {
      noPage: 'This page does not exist.',
      noDocument: 'There is no such document.',
      noState:
        'The network did not say which login this is. Go back to the app and open the link again.',
      otherServer:
        'A different server answered than the one where you began. Your account was not connected.',
      tooManyLogins:
        'Too many people have logged in with this link. Go back to the app and ask for a new one.',
      noApp: (place: string) => `Logging in at ${place} is not available here.`,
      otherLogin: (account: string) =>
        `This login does not reach the account ${account}. Log in as a user who can post to it.`,
      oldChoice: 'This list of accounts is out of date.',
      noChoice: 'Choose at least one account.',
      lostChoice: 'An account that you chose is no longer available. Choose again.',
    },
  },

  share: {
    title: (network: string) => `Post to ${network}`,
    creator: (network: string, name: Html) => html`You post to ${network} as ${name}`,
    preview: 'Preview',
    video: 'Your video',
    photo: (number: number) => `Photo ${number}`,
    othersNow: (brand: string, networks: string) =>
      `${brand} publishes this post now at ${networks}, too.`,
    othersThen: (brand: string, networks: string) =>
      `${brand} publishes this post at the same time at ${networks}, too.`,
    description: 'Description',
    titleField: 'Title',
    privacy: 'Who can see this post',
    choose: 'Choose',
    levels: {
      PUBLIC_TO_EVERYONE: 'Everyone',
      MUTUAL_FOLLOW_FRIENDS: 'Friends: followers that you follow back',
      FOLLOWER_OF_CREATOR: 'Followers',
      SELF_ONLY: 'Only me',
    },
    interactions: 'What others can do',
    allow: { comment: 'Allow comments', duet: 'Allow duets', stitch: 'Allow stitches' },
    turnedOff: 'You have turned this off at TikTok.',
    commercial: 'Commercial content',
    disclose: 'This post promotes yourself, a brand, product or service',
    ai: 'AI-generated content',
    madeWithAi: 'This video was made with AI',
    publishOn: (time: string) => `The post will be published on ${time}.`,
    publish: 'Publish',
    schedule: 'Schedule',
    nothingBefore: (brand: string) =>
      `${brand} sends nothing to TikTok before you press this button. After you publish, it may take a few minutes for the content to process and be visible on your profile.`,
    failed: 'The post could not be opened',
    otherBrowser: 'This page works only in the browser that opened the link.',
    expired: 'This link has expired',
    expiredText: (brand: string) =>
      `The post is not at TikTok. Go back to ${brand} and ask for a new link.`,
    otherTargets: 'This link is no longer valid',
    otherTargetsText: (brand: string) =>
      `${brand} no longer publishes this post to your TikTok account. Go back to ${brand} and ask for a new link.`,
    refused: "You can't publish this post now",
    nothingSent: 'Nothing was sent to TikTok.',
    open: 'Open the post',
    scheduledTitle: 'Your post is scheduled',
    scheduled: (network: string, time: string) =>
      `The post will be published at ${network} on ${time}.`,
    published: (network: string) => `Your post is at ${network}`,
    notPublished: (network: string) => `Your post is not at ${network}`,
    publishing: (network: string) => `Your post is being sent to ${network}`,
    processing:
      'It may take a few minutes for the content to process and be visible on your profile.',
    notTaken: (network: string) => `${network} did not take the post.`,
    withdrawn: 'It was canceled or changed. You can close this page.',
    failures: {
      changed: 'The post has changed since you opened this page.',
      noPosts: (network: string) =>
        `The login doesn't allow posts to ${network}. Connect the account again, and allow them.`,
      tooLong: (limitMs: number, actualMs: number) =>
        `Your account can publish videos of at most ${(limitMs / 1_000).toLocaleString('en-US')} seconds, and this video has ${(actualMs / 1_000).toLocaleString('en-US')} seconds.`,
      noPrivacy: 'Choose who can see the post.',
      otherPrivacy: "TikTok doesn't offer you this choice of who can see the post. Choose again.",
    },
    time: (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
  },

  notFound: {
    title: 'There is nothing here',
    text: 'Check that the address is complete.',
  },

  deletion: {
    title: 'Your request to delete your data',
    status: 'Status:',
    received: 'received',
    receivedText: (day: string) =>
      `Your request was received on ${day}. Your logins, names and account IDs are erased first, and then what your posts left behind, usually within an hour.`,
    erased: 'erased',
    erasedText: (day: string, erasedOn: string) =>
      `Your request was received on ${day}. All data of your accounts was erased by ${erasedOn}.`,
    code: (code: string) => `Confirmation code: ${code}`,
    unknown: 'There is no such request',
    unknownText: 'Check that the address is complete. Old requests are no longer listed.',
    day: (time: Date) => time.toISOString().slice(0, 10),
  },

  /** Translations of the labels and help that connectors write in English. English has none. */
  connectors: {} as Readonly<Record<string, string>>,
};

export type Texts = typeof en;
