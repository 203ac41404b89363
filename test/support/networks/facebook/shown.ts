// Objects of the pages of the simulated Facebook, and how it shows posts and stories. By
// https://developers.facebook.com/docs/pages-api/posts and
// https://developers.facebook.com/docs/page-stories-api, read on 2026-11-26.
import { writeTime } from '../meta/requests.ts';
import type { StoredVideo } from './videos.ts';

export interface Photo {
  id: string;
  page: string;
  bytes: Buffer;
  altText: string | undefined;
  isPublished: boolean;
}

export interface Post {
  id: string;
  page: string;
  message: string;
  link: string | undefined;
  photos: Photo[];
  createdAt: number;
}

export interface Comment {
  id: string;
  /** ID of the post, the comment or the video that the comment is under. */
  parent: string;
  page: string;
  message: string;
  createdAt: number;
}

export interface Story {
  postId: string;
  page: string;
  mediaId: string;
  media: 'photo' | 'video';
  createdAt: number;
}

export function showPost({ id, message, link, photos, createdAt }: Post) {
  const attachments = photos.map((photo) => ({
    type: 'photo',
    target: { id: photo.id },
    description: photo.altText,
  }));
  const share = { type: 'share', target: { url: link }, unshimmed_url: link };
  const [first] = attachments;
  const shown =
    photos.length > 1
      ? [{ type: 'album', target: { id: '9' }, subattachments: { data: attachments } }]
      : [...(first ? [first] : []), ...(link === undefined ? [] : [share])];
  return {
    id,
    message: message === '' ? undefined : message,
    created_time: writeTime(createdAt),
    permalink_url: `https://www.facebook.com/${id}`,
    attachments: shown.length > 0 ? { data: shown } : undefined,
  };
}

export const showPostOfVideo = (page: string, { id, description, createdAt }: StoredVideo) => ({
  id: `${page}_${id}`,
  message: description === '' ? undefined : description,
  created_time: writeTime(createdAt),
  permalink_url: `https://www.facebook.com/reel/${id}/`,
  attachments: { data: [{ type: 'video_inline', target: { id } }] },
});

export const showStoryRow = ({ postId, mediaId, media, createdAt }: Story) => ({
  post_id: postId,
  status: 'PUBLISHED',
  creation_time: String(Math.floor(createdAt / 1_000)),
  media_type: media,
  media_id: mediaId,
  url: `https://facebook.com/stories/${postId}`,
});
