/**
 * The commands of Tinify's clients (resize, convert, preserve, transform) as a policy of this service.
 * Sentences use Tinify's words, because those clients show them as they are.
 */
import { z } from 'zod';
import { FORMATS, type Formats } from '../../contract/formats';
import { invalidCommand, unknownTypes } from '../../contract/tinify-problems';
import {
  keepsPart,
  METADATA_PARTS,
  type CompressionPolicy,
  type DeploymentPolicy,
  type KeptMetadata,
  type MetadataPart,
  type Rgb,
} from '../../compression/domain/compression-policy';
import type { Deployment } from '../../compression/options/option';
import type { Output } from '../application/outputs.service';

const MAX_SIDE_PX = 1_000_000;

const side = (name: string) => {
  const error = `The ${name} must be an integer from 1 to ${MAX_SIDE_PX}.`;
  return z.int({ error }).min(1, { error }).max(MAX_SIDE_PX, { error });
};

const resize = z
  .strictObject(
    {
      method: z
        .enum(['fit', 'scale', 'cover', 'thumb'], {
          error: 'The method of "resize" must be one of fit, scale, cover, thumb.',
        })
        .default('scale'),
      width: side('width').optional(),
      height: side('height').optional(),
    },
    { error: 'The command "resize" takes a method, a width and a height.' },
  )
  .refine(({ method, width, height }) => method === 'scale' || (width && height), {
    error: ({ input }) => `The method "${(input as { method: string }).method}" needs a width and a height.`,
  })
  .refine(({ method, width, height }) => method !== 'scale' || !width !== !height, {
    error: 'The method "scale" needs either a width or a height, not both.',
  });

const names = { error: `The command "preserve" takes a list of ${METADATA_PARTS.join(', ')}.` };
const preserve = z.array(z.enum(METADATA_PARTS, names), names);

const types = { error: 'The command "convert" takes a "type": a media type, or a list of them.' };
const type = z.string(types).max(64, types);
const convert = z.strictObject(
  { type: z.union([type, z.array(type).min(1, types).max(8, types)], types) },
  types,
);

const COLOURS: Readonly<Record<string, string>> = { white: '#ffffff', black: '#000000' };
const colours = {
  error: 'The command "transform" takes a "background": "white", "black" or a colour such as "#ffcc00".',
};
const transform = z.strictObject(
  {
    background: z
      .string(colours)
      .regex(/^(white|black|#[0-9a-f]{6})$/i, colours)
      .transform((name) => parseColour(COLOURS[name.toLowerCase()] ?? name)),
  },
  colours,
);

/** @param hex such as `#ffcc00` */
function parseColour(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

const commands = z.strictObject(
  {
    resize: resize.optional(),
    preserve: preserve.optional(),
    convert: convert.optional(),
    transform: transform.optional(),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `This service has no command ${JSON.stringify(issue.keys[0].slice(0, 64))}; it has "convert", "preserve", "resize" and "transform".`
        : 'Send the commands as a JSON object with the type application/json.',
  },
);

type AcceptedFormats = NonNullable<CompressionPolicy['formats']>;

/** The formats of the wildcard type. A photo that was a JPG is never smaller as a PNG. */
function smallestOf(own: Output['format']): AcceptedFormats {
  if (!(own in FORMATS)) return ['same'];
  return ['same', ...Object.keys(FORMATS).filter((name) => name !== own && name !== 'png')];
}

/** Clients of this API expect the type that they have sent, whatever FORMAT says. */
export function inOwnFormat(policy: CompressionPolicy): CompressionPolicy {
  return { ...policy, formats: ['same'] };
}

/** @throws Problem `invalid_request` for a command that this service does not support */
export function policyWith(
  body: unknown,
  { policy, knownFormats }: Deployment,
  format: Output['format'],
): CompressionPolicy {
  const { data, error } = commands.safeParse(body);
  if (!data) throw invalidCommand(error.issues[0].message);
  const { resize: box, preserve: kept = [], convert: target, transform: over } = data;
  return {
    ...inOwnFormat(policy),
    ...(target && { formats: chooseFormats([target.type].flat(), format, knownFormats) }),
    ...(over && { background: over.background }),
    keepMetadata: keptWith(kept, policy.keepMetadata),
    ...(box && {
      box: {
        ...(box.width !== undefined && { maxWidth: box.width }),
        ...(box.height !== undefined && { maxHeight: box.height }),
        ...((box.method === 'cover' || box.method === 'thumb') && { crop: box.method }),
      },
    }),
  };
}

/** A type that is no format of this service does not matter among others. */
function chooseFormats(
  types: readonly string[],
  own: Output['format'],
  knownFormats: Formats,
): AcceptedFormats {
  if (types.includes('*/*')) return smallestOf(own);
  const named = knownFormats.ofMediaTypes(types);
  if (named.length === 0) throw unknownTypes(knownFormats.facts.map(({ mediaType }) => mediaType));
  return named.map((format) => (format === own ? 'same' : format));
}

/** Metadata that the deployment always keeps stays. */
function keptWith(asked: readonly MetadataPart[], always: DeploymentPolicy['keepMetadata']): KeptMetadata {
  if (always === 'all') return 'all';
  const parts = METADATA_PARTS.filter((part) => asked.includes(part) || keepsPart(always, part));
  return parts.length > 0 ? parts : 'none';
}
