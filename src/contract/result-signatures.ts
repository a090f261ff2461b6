/** Recognises files in formats that results may have by their first bytes, regardless of their names and declared types. */
import {
  factsOf,
  formatBySignature,
  resultFormats,
  type AddedFacts,
  type ResultFacts,
  type ResultFormatName,
  type Signature,
} from './formats';

/** Built-in formats that uploads cannot have: place of the signature, signature. */
const BUILT_IN = [
  ['webp', 8, 'WEBP'],
  ['avif', 4, 'ftypavi'],
] as const;

/** The largest offset and length of a signature in bytes. */
export const MAX_SIGNATURE_OFFSET = 64;
export const MAX_SIGNATURE_LENGTH = 16;
/** Number of bytes that resultBySignature needs. */
export const RESULT_SIGNATURE_BYTES = MAX_SIGNATURE_OFFSET + MAX_SIGNATURE_LENGTH;

/** Returns the format of a file; undefined for others, and for files of formats without a signature. */
export function resultBySignature(bytes: Uint8Array): ResultFormatName | undefined {
  const upload = formatBySignature(bytes);
  if (upload) return upload;
  const text = String.fromCharCode(...bytes.subarray(0, RESULT_SIGNATURE_BYTES));
  const builtIn = BUILT_IN.find(([, at, signature]) => text.startsWith(signature, at))?.[0];
  return builtIn ?? resultFormats().find((name) => factsOf(name).signatures?.some(begins(bytes)));
}

const begins =
  (bytes: Uint8Array) =>
  ({ offset, hex }: Signature): boolean =>
    Buffer.from(bytes.subarray(offset, offset + hex.length / 2)).toString('hex') === hex;

/** Returns whether a signature begins with a shorter one. */
const startsWith =
  ({ offset, hex }: Signature) =>
  (longer: Signature): boolean =>
    longer.offset === offset && longer.hex.startsWith(hex);

/** Returns which signature of a format shows another format already, as a clause; undefined if none does. */
export function takenSignature({ signatures = [], owner }: AddedFacts): string | undefined {
  const known = resultFormats().map(factsOf);
  for (const { offset, hex } of signatures) {
    const format = resultBySignature(Buffer.concat([Buffer.alloc(offset), Buffer.from(hex, 'hex')]));
    const { owner: other = 'this service' } = format === undefined ? { owner } : factsOf(format);
    const longer = known.find(
      (one) => one.owner !== owner && one.signatures?.some(startsWith({ offset, hex })),
    );
    const taker = other === owner ? longer?.owner : other;
    if (taker !== undefined) return `the signature "${hex}" is taken by ${taker}`;
  }
  return undefined;
}

/** Returns the labels of the formats that resultBySignature knows, as part of a sentence. */
export function recognisedOr(): string {
  const labels = labelsOf(isRecognised);
  return `${labels.slice(0, -1).join(', ')} or ${labels.at(-1) ?? ''}`;
}

/** Returns the labels of the formats that it does not know. */
export function unrecognised(): string[] {
  return labelsOf((facts) => !isRecognised(facts));
}

function labelsOf(isMeant: (facts: ResultFacts) => boolean): string[] {
  return resultFormats()
    .map(factsOf)
    .filter(isMeant)
    .map(({ label }) => label);
}

function isRecognised({ owner, signatures = [] }: ResultFacts): boolean {
  return owner === undefined || signatures.length > 0;
}
