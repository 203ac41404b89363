// Edits a published target at its network.
import { afterPublishingOf, optionSchemaOf, rulesOf } from '../../../activities/platforms/index.ts';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { checkAltTextLength } from '../../../activities/platforms/media-rules.ts';
import { checkText } from '../../../activities/platforms/text-rules.ts';
import { insertChange } from '../../../schema/database/posts/after-publishing/result-changes.ts';
import { mediaOf, optionsOf } from '../../../schema/database/posts/targets.ts';
import type { EditField } from '../../../schema/platforms/definition.ts';
import type { PostResult } from '../../../schema/posts/posts.ts';
import type { ChangedContent, UpdateResult } from '../../../schema/posts/result-changes.ts';
import { AppError, validationError, type Issue } from '../../../schema/wire/errors.ts';
import type { Path, Text } from '../../../schema/wire/names.ts';
import type { Caller, Context } from '../../http/context.ts';
import { transact, type Answer } from '../../http/transact.ts';
import { checkNetwork, checkOptions } from '../../platforms/check-options.ts';
import { findRefusal, lockChangeable, readResult, type Changeable } from './changeable.ts';

export function updateResult(
  context: Context,
  caller: Caller,
  id: string,
  resultId: string,
  changes: UpdateResult,
): Promise<Answer<PostResult>> {
  return transact(context, caller, async (effects) => {
    const changeable = await lockChangeable(effects.trx, caller, id, resultId);
    const { result } = changeable;
    if (result.kind !== 'post') {
      throw new AppError(
        'conflict',
        'Only targets can be edited, not their first comments or steps.',
      );
    }
    const refusal = findRefusal(context, changeable, 'edit');
    if (refusal) throw refusal;
    const issues = checkChanges(context, changeable, changes);
    if (issues.length > 0) throw validationError(issues);
    const { trx, actor } = effects;
    await insertChange(trx, result, 'edit', { content: toContent(changes), actor });
    effects.change({
      subject: 'post',
      subject_id: id,
      result_id: resultId,
      kind: 'result.changing',
    });
    return { status: 202, data: await readResult(context, effects, caller, changeable) };
  });
}

function toContent({ caption, platform_options, media }: UpdateResult): ChangedContent {
  const altTexts = media?.map(({ id, alt_text = null }) => [id, alt_text] as const);
  return {
    ...(caption !== undefined && { caption }),
    ...(platform_options && { platform_options }),
    ...(altTexts && { alt_texts: Object.fromEntries(altTexts) }),
  };
}

/** The edited post must fit the rules of its network, and only some fields can be edited. */
function checkChanges(context: Context, changeable: Changeable, changes: UpdateResult): Issue[] {
  const platform = context.platforms.get(changeable.result.platform)!;
  const misplaced = checkNetwork(platform.definition.name, changes.platform, ['platform']);
  if (misplaced.length > 0) return misplaced;
  const fixed = findFixed(platform, changeable, changes);
  if (fixed.length > 0) return fixed;
  const { result, post, account } = changeable;
  const { definition } = platform;
  const options = optionSchemaOf(platform, account.traits);
  const network = { ...definition, rules: rulesOf(platform, account.traits), options };
  const edited = optionsOf({
    ...result,
    platform_options: { ...result.platform_options, ...changes.platform_options },
  });
  const media = mediaOf({ ...result, post_media: post.media });
  return [
    ...checkMedia(network, media, changes),
    ...(changes.platform_options
      ? checkOptions(context.platforms, network, edited, ['platform_options'])
      : []),
    ...checkText(network, changes.caption ?? result.caption ?? post.caption, {
      path: ['caption'],
      options: options.safeParse(edited).data ?? {},
      media,
    }),
  ];
}

/** Issues of the fields that the network can't edit. */
function findFixed(platform: Platform, { account }: Changeable, changes: UpdateResult): Issue[] {
  const { title } = platform.definition;
  const { fields = [] } = afterPublishingOf(platform, account.traits)?.edit ?? {};
  const message: Text = ({ field }) => `${title} can edit only ${fields.map(field).join(', ')}.`;
  return listGiven(platform, changes)
    .filter(({ field }) => !fields.includes(field))
    .map(({ path }) => ({ path, code: 'not_editable', message }));
}

interface GivenField {
  field: EditField;
  path: Path;
}

/** The fields of the request, without options that the network doesn't know. */
function listGiven(
  { definition }: Platform,
  { caption, platform_options: options = {}, media = [] }: UpdateResult,
): GivenField[] {
  const known = Object.keys(options).filter((name) => name in definition.options.shape);
  return [
    ...(caption === undefined ? [] : [{ field: 'caption' as const, path: ['caption'] }]),
    ...known.map((name) => ({
      field: `platform_options.${name}` as const,
      path: ['platform_options', name],
    })),
    ...media.map((_, i) => ({ field: 'media.alt_text' as const, path: ['media', i, 'alt_text'] })),
  ];
}

function checkMedia(
  { title, rules }: Pick<Platform['definition'], 'title' | 'rules'>,
  stored: ReturnType<typeof mediaOf>,
  { media = [] }: UpdateResult,
): Issue[] {
  return media.flatMap(({ id, alt_text: altText }, i) => {
    const path = ['media', i, 'id'];
    if (!stored.some((item) => item.id === id)) {
      return [{ path, code: 'unknown_media', message: 'must be the ID of media of the target' }];
    }
    if (media.findIndex((other) => other.id === id) < i) {
      return [{ path, code: 'duplicate', message: 'must not repeat an ID' }];
    }
    if (!rules.media) return [];
    return checkAltTextLength(title, rules.media, altText ?? null, ['media', i, 'alt_text']);
  });
}
