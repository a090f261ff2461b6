/** The commands of Tinify's clients, as far as this service supports them. */
import { z } from 'zod';
import { invalidCommand, otherFormat } from '../../contract/tinify-problems';
import {
  keepsPart,
  METADATA_PARTS,
  type CompressionPolicy,
  type DeploymentPolicy,
  type KeptMetadata,
  type MetadataPart,
} from '../../compression/domain/compression-policy';
import type { Output } from '../domain/output';

const MAX_SIDE_PX = 1_000_000;

const side = (name: string) => {
  const error = `The ${name} must be an integer from 1 to ${MAX_SIDE_PX}.`;
  return z.int({ error }).min(1, { error }).max(MAX_SIDE_PX, { error });
};

const resize = z
  .strictObject(
    {
      method: z
        .enum(['fit', 'scale'], { error: 'This service resizes with the methods "fit" and "scale" only.' })
        .default('scale'),
      width: side('width').optional(),
      height: side('height').optional(),
    },
    { error: 'The command "resize" takes a method, a width and a height.' },
  )
  .refine(({ method, width, height }) => method !== 'fit' || (width && height), {
    error: 'The method "fit" needs a width and a height.',
  })
  .refine(({ method, width, height }) => method !== 'scale' || !width !== !height, {
    error: 'The method "scale" needs either a width or a height, not both.',
  });

const names = { error: `The command "preserve" takes a list of ${METADATA_PARTS.join(', ')}.` };
const preserve = z.array(z.enum(METADATA_PARTS, names), names);

const types = { error: 'The command "convert" takes a "type": a media type, or a list of them.' };
const type = z.string(types).max(64, types);
const convert = z.strictObject({ type: z.union([type, z.array(type).min(1).max(8)], types) }, types);

const commands = z.strictObject(
  { resize: resize.optional(), preserve: preserve.optional(), convert: convert.optional() },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `This service has no command ${JSON.stringify(issue.keys[0].slice(0, 64))}; it has "convert", "preserve" and "resize".`
        : 'Send the commands as a JSON object with the type application/json.',
  },
);

/** Clients of this door expect the type that they have sent, whatever FORMAT says. */
export function inOwnFormat(policy: CompressionPolicy): CompressionPolicy {
  return { ...policy, formats: ['same'] };
}

/**
 * Returns the policy of the deployment with the commands of the request.
 * @param format of the upload; a "convert" has to name it, alone or among others
 * @throws Problem `invalid_request` for a command that this service does not support
 */
export function policyWith(
  body: unknown,
  policy: DeploymentPolicy,
  format: Output['format'],
): CompressionPolicy {
  const { data, error } = commands.safeParse(body);
  if (!data) throw invalidCommand(error.issues[0].message);
  const { resize: box, preserve: kept = [], convert: target } = data;
  const wanted = [target?.type ?? '*/*'].flat();
  if (!wanted.includes('*/*') && !wanted.includes(`image/${format}`)) throw otherFormat(format);
  return {
    ...inOwnFormat(policy),
    keepMetadata: keptWith(kept, policy.keepMetadata),
    ...(box
      ? {
          box: {
            ...(box.width === undefined ? {} : { maxWidth: box.width }),
            ...(box.height === undefined ? {} : { maxHeight: box.height }),
          },
        }
      : {}),
  };
}

/** Metadata that the deployment always keeps stays. */
function keptWith(asked: readonly MetadataPart[], always: DeploymentPolicy['keepMetadata']): KeptMetadata {
  if (always === 'all') return 'all';
  const parts = METADATA_PARTS.filter((part) => asked.includes(part) || keepsPart(always, part));
  return parts.length > 0 ? parts : 'none';
}
