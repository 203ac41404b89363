// Matrix: its rules and the options of a post. Users name the server, so there are no settings.
import { z } from 'zod';
import { definePlatform } from './definition.ts';

const options = z
  .strictObject({
    is_notice: z.boolean().optional().meta({
      description: 'Mark the message as sent by a bot, so that other bots ignore it.',
    }),
  })
  .meta({ id: 'MatrixOptions', description: "Matrix's own options of a post." });

export const matrix = definePlatform({
  name: 'matrix',
  title: 'Matrix',
  connectsBy: 'Server, access token and room',
  testedWith: 'Simulator',
  settings: {},
  rules: {
    // An event has at most 65,536 bytes, with all that servers add. The limit is Fanfare's own.
    text: { max: 8_000, unit: 'characters' },
    isTextRequired: true,
    media: null,
    replies: {
      // https://spec.matrix.org/v1.18/appendices/#event-ids
      id: /^\$[\w+/=:.~-]{1,254}$/,
      example: '$acR1l0raoZnm60CBwAVgqbZqoO_mYU81xysh1u7XcJk',
    },
    source: 'https://spec.matrix.org/v1.18/client-server-api/#size-limits',
  },
  options,
  // A transaction ID makes a repeat a no-op, but the specification doesn't say for how long.
  commitRepeatsForMs: 0,
});
