// Every fault in every stage of a target with an image, by a bot and by a webhook.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import {
  discordBotWithMedia,
  discordWebhookWithMedia,
} from '../../../../support/networks/discord/subject.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';

for (const subject of [discordBotWithMedia, discordWebhookWithMedia]) {
  describeFaults(toKind(subject));
  describeFaultPairs(toKind(subject));
}
