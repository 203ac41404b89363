// Pinterest's API v5 with one account. Its own OpenAPI description decides which requests it takes, which scopes they
// need, and which answers it may give. Beyond that, it refuses what its documents name:
// https://developers.pinterest.com/docs/work-with-organic-content-and-users/create-boards-and-pins/, read on 2026-11-27.
import { createHash } from 'node:crypto';
import type { NetworkServer, PublicPost } from '../contract/subject.ts';
import { dispatch, Refusal } from '../strict-requests.ts';
import { checkAnswer, checkRequest, findOperation, type Operation } from './description.ts';
import { createLogins } from './logins.ts';
import {
  invalid,
  noBoard,
  noPin,
  noSection,
  notPermitted,
  onlyTrial,
  refuse,
  unsupportedApp,
  uploadPath,
} from './refusals.ts';
import { createVideos } from './videos.ts';

export interface Board {
  id: string;
  name: string;
  description?: string | null;
  privacy?: 'PUBLIC' | 'PROTECTED' | 'SECRET';
  is_ads_only?: boolean;
  media?: { image_cover_url: string | null };
  sections: { id: string; name: string }[];
}

/** The members of a request that the pin keeps. */
interface Content {
  board_id?: string;
  board_section_id?: string | null;
  title?: string | null;
  description?: string | null;
  link?: string | null;
  alt_text?: string | null;
  dominant_color?: string | null;
}

interface Image {
  content_type: string;
  data: string;
}

type MediaSource =
  | ({ source_type: 'image_base64' } & Image)
  | { source_type: 'multiple_image_base64'; items: Image[] }
  | {
      source_type: 'video_id';
      media_id: string;
      cover_image_url?: string;
      cover_image_content_type?: string;
      cover_image_data?: string;
      cover_image_key_frame_time?: number;
    };

export interface Pin extends Content {
  id: string;
  created_at: string;
  media_type: 'image' | 'multiple_images' | 'video';
  /** SHA-256 of each image, or of the video. */
  media: string[];
  /** SHA-256 of the cover of a video, or the time of its frame. */
  cover?: string | number;
}

export type PinterestServer = ReturnType<typeof createPinterestServer>;

/** The board of every post of the contract. */
export const boardId = '549755885175';
export const sectionId = '549755885176';

type Handle = (
  request: Request,
  body: unknown,
  parameters: Record<string, string>,
) => Promise<Response> | Response;

export function createPinterestServer() {
  let lastId = 813_000_000_000_000_000n;
  const newId = () => String(++lastId);
  const logins = createLogins();
  const videos = createVideos(newId);
  const account = { id: '2783136121146311751', username: 'ada_l', account_type: 'BUSINESS' };
  const boards: Board[] = [
    { id: boardId, name: 'Brass bands', sections: [{ id: sectionId, name: 'Tubas' }] },
  ];
  /** The newest first. */
  const pins: Pin[] = [];

  const server = {
    account,
    boards,
    pins,
    logins,
    videos,
    /** The access that Pinterest has given to the app. */
    access: 'standard' as 'standard' | 'trial' | 'none',
    /** Whether the app takes part in the beta of edits. */
    hasEdits: true,
    /** The requests, without their queries. */
    calls: [] as string[],
    /** Headers that the next answers have. */
    limits: {} as Record<string, string>,
    /** Replaces the answers to the next requests of the API. */
    answers: [] as Response[],
    /** Pinterest writes a link in its own form. */
    writeLink: (link: string) => link,
    /** Adds a pin that was made elsewhere. */
    addPin,
    answer,
    refuse,
    expireToken: () => logins.grants.expireAll(),
    revokeToken: () => logins.grants.revokeAll(),
    listPosts: (): PublicPost[] => pins.toReversed().map(toPublic),
  } satisfies NetworkServer & Record<string, unknown>;

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    server.calls.push(`${request.method} ${pathname}`);
    if (pathname === uploadPath && request.method === 'POST') return videos.upload(request);
    if (!pathname.startsWith('/v5/')) return dispatch(logins.pages, request);
    const scripted = server.answers.shift();
    if (scripted) return scripted;
    const found = findOperation(request.method, pathname);
    if (!found) return new Refusal(404, 'none', 'Nothing is here.').toResponse();
    const response = await handle(request, found);
    for (const [name, value] of Object.entries(server.limits)) response.headers.set(name, value);
    await checkAnswer(response, found);
    return response;
  }

  async function handle(
    request: Request,
    found: NonNullable<ReturnType<typeof findOperation>>,
  ): Promise<Response> {
    const { operation, parameters } = found;
    try {
      checkAccess(request, operation);
      const body = await checkRequest(request, found).catch((error: unknown) => {
        throw invalid(String(error));
      });
      return await handlers[operation.operationId]!(request, body, parameters);
    } catch (error) {
      if (error instanceof Refusal) return error.toResponse();
      throw error;
    }
  }

  /** The endpoints of tokens check the app instead. */
  function checkAccess(request: Request, { security }: Operation): void {
    const scopes = security.find((each) => each['pinterest_oauth2'])?.['pinterest_oauth2'];
    if (!scopes) return;
    logins.check(request, scopes);
    if (server.access === 'none') throw unsupportedApp();
  }

  function addPin(pin: Partial<Pin> = {}): Pin {
    const created_at = new Date().toISOString();
    const made: Pin = {
      board_id: boardId,
      created_at,
      media_type: 'image',
      media: [],
      ...pin,
      id: newId(),
    };
    pins.unshift(made);
    return made;
  }

  function findPin(id: string | undefined): Pin {
    const pin = pins.find((each) => each.id === id);
    if (!pin) throw noPin();
    return pin;
  }

  function findBoard(id: string | undefined): Board {
    const board = boards.find((each) => each.id === id);
    if (!board) throw noBoard();
    return board;
  }

  /** Members that the request leaves out stay. */
  function updatePin(id: string | undefined, body: unknown): Response {
    if (!server.hasEdits) throw notPermitted();
    const { carousel_slots, ...content } = body as Content & { carousel_slots?: unknown };
    if (carousel_slots !== undefined) throw invalid('The test has no slots.');
    const pin = findPin(id);
    checkPlace({ ...pin, ...content });
    return Response.json(show(Object.assign(pin, content)));
  }

  function checkPlace({ board_id, board_section_id: section }: Content): void {
    const { sections } = findBoard(board_id);
    if (section && !sections.some(({ id }) => id === section)) throw noSection();
  }

  function createPin(_request: Request, body: unknown): Response {
    const { media_source, ...content } = body as Content & { media_source?: MediaSource };
    if (server.access === 'trial') throw onlyTrial();
    checkPlace(content);
    if (!media_source) throw invalid('media_source is missing');
    const pin = addPin({ ...content, ...readMedia(media_source) });
    return Response.json(show(pin), { status: 201 });
  }

  function readMedia(source: MediaSource): Pick<Pin, 'media_type' | 'media' | 'cover'> {
    switch (source.source_type) {
      case 'image_base64':
        return { media_type: 'image', media: [readImage(source)] };
      case 'multiple_image_base64':
        return { media_type: 'multiple_images', media: source.items.map(readImage) };
      case 'video_id':
        return {
          media_type: 'video',
          media: [videos.find(source.media_id).sha256!],
          cover: readCover(source),
        };
      default:
        throw invalid('This source is only for URLs.');
    }
  }

  function listBoards(request: Request): Response {
    return page(request, boards, (board) => {
      const { sections: _, ...shown } = board;
      return shown;
    });
  }

  const handlers: Record<string, Handle> = {
    'oauth/token': (request, body) => logins.issue(request, body as never),
    'token/revoke': (request, body) => logins.revoke(request, body as never),
    'user_account/get': () => Response.json(account),
    'boards/list': listBoards,
    'boards/list_pins': (request, _, { board_id }) => {
      const board = findBoard(board_id);
      const own = pins.filter((pin) => pin.board_id === board.id);
      return page(request, own, show);
    },
    'board_sections/list': (request, _, { board_id }) =>
      page(request, findBoard(board_id).sections, (section) => section),
    'pins/create': createPin,
    'pins/get': (_request, _, { pin_id }) => Response.json(show(findPin(pin_id))),
    'pins/update': (_request, body, { pin_id }) => updatePin(pin_id, body),
    'pins/delete': (_request, _, { pin_id }) => {
      pins.splice(pins.indexOf(findPin(pin_id)), 1);
      return new Response(null, { status: 204 });
    },
    'media/create': (request) => videos.register(request),
    'media/get': (_request, _, { media_id }) => videos.read(media_id!),
  };

  /** A pin as Pinterest shows it. */
  function show(pin: Pin) {
    const { media_type, media: _, cover: __, ...shown } = pin;
    return {
      ...shown,
      link: pin.link ? server.writeLink(pin.link) : (pin.link ?? null),
      board_owner: { username: account.username },
      media: { media_type },
    };
  }

  return server;
}

/** https://developers.pinterest.com/docs/reference/pagination/ */
function page<T>(request: Request, all: readonly T[], show: (item: T) => object): Response {
  const { searchParams } = new URL(request.url);
  const size = Number(searchParams.get('page_size') ?? 25);
  const start = Number(searchParams.get('bookmark') ?? 0);
  const end = start + size;
  const bookmark = end < all.length ? String(end) : null;
  return Response.json({ items: all.slice(start, end).map(show), bookmark });
}

const signatures: Record<string, string> = { 'image/jpeg': 'ffd8ff', 'image/png': '89504e47' };

/** Returns the SHA-256 of the image. */
function readImage({ content_type, data }: Image): string {
  const bytes = Buffer.from(data, 'base64');
  const isWhole = bytes.toString('base64') === data;
  const isOfType = bytes.toString('hex').startsWith(signatures[content_type]!);
  if (!isWhole || !isOfType) throw invalid(`The data are no ${content_type}.`);
  return createHash('sha256').update(bytes).digest('hex');
}

/** The words are as https://github.com/gitroomhq/postiz-app reads them. */
function readCover(source: Extract<MediaSource, { media_id: string }>): string | number {
  const { cover_image_content_type, cover_image_data, cover_image_key_frame_time } = source;
  if (cover_image_data !== undefined && cover_image_content_type !== undefined) {
    return readImage({ content_type: cover_image_content_type, data: cover_image_data });
  }
  if (cover_image_key_frame_time !== undefined) return cover_image_key_frame_time;
  throw invalid('cover_image_url or cover_image_content_type and cover_image_data are needed');
}

function toPublic({ id, description, media, ...pin }: Pin): PublicPost {
  const { board_id, board_section_id, title, link, dominant_color } = pin;
  const options = { board_id, board_section_id, title, link, dominant_color };
  return { id, text: description ?? '', replyTo: null, media, options };
}
