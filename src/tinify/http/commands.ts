/** The commands of Tinify's clients, as far as this service carries them out. */
import { z } from 'zod';
import { invalidCommand } from '../../contract/tinify-problems';
import type { CompressionPolicy, KeptMetadata } from '../../compression/domain/compression-policy';

const PRESERVED = ['copyright', 'creation', 'location'] as const;
const MAX_SIDE_PX = 1_000_000;

const side = (name: string) => {
  const error = `The ${name} must be an integer from 1 to ${MAX_SIDE_PX}.`;
  return z.int({ error }).min(1, { error }).max(MAX_SIDE_PX, { error });
};

const resize = z
  .strictObject(
    {
      method: z.enum(['fit', 'scale'], {
        error: 'This service resizes with the methods "fit" and "scale" only.',
      }),
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

const names = { error: `The command "preserve" takes a list of ${PRESERVED.join(', ')}.` };
const preserve = z.array(z.enum(PRESERVED, names), names).transform((wanted, context): KeptMetadata => {
  const kept = new Set(wanted);
  if (kept.size === PRESERVED.length) return 'all';
  if (kept.size === 0) return 'none';
  if (kept.size === 1 && kept.has('copyright')) return 'copyright';
  context.addIssue({
    code: 'custom',
    message:
      'This service preserves either "copyright" alone or all metadata: send ["copyright"] or ["copyright", "creation", "location"].',
  });
  return z.NEVER;
});

const commands = z.strictObject(
  { resize: resize.optional(), preserve: preserve.optional() },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `This service has no command ${JSON.stringify(issue.keys[0].slice(0, 64))}; it has "preserve" and "resize".`
        : 'Send the commands as a JSON object with the type application/json.',
  },
);

/**
 * Returns the policy of the deployment with what the commands ask for.
 * @throws Problem `invalid_request` for a command that this service does not carry out
 */
export function policyWith(body: unknown, policy: CompressionPolicy): CompressionPolicy {
  const { data, error } = commands.safeParse(body);
  if (!data) throw invalidCommand(error.issues[0].message);
  const { resize: box, preserve: kept = 'none' } = data;
  return {
    ...policy,
    keepMetadata: moreOf(kept, policy.keepMetadata),
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

/** What the deployment keeps anyway stays. */
function moreOf(asked: KeptMetadata, always: KeptMetadata): KeptMetadata {
  const order: readonly KeptMetadata[] = ['none', 'copyright', 'all'];
  return order[Math.max(order.indexOf(asked), order.indexOf(always))];
}
