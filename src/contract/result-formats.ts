import {
  formatBySignature,
  hasMediaType,
  RESULT_FORMATS,
  SIGNATURE_BYTES,
  type ConversionMemory,
  type FormatFacts,
  type ResultFormatName,
  type Signature,
} from './formats';

export interface AddedFacts extends FormatFacts {
  readonly memory: ConversionMemory;
  /** A file begins with one of these. Without any, its files are not recognised. */
  readonly signatures: readonly Signature[];
  readonly owner: string;
  /** Whether the package reads uploads of this format. */
  readonly isUpload: boolean;
}

export type ResultFacts = FormatFacts &
  Pick<AddedFacts, 'memory'> &
  Partial<Omit<AddedFacts, 'memory' | 'isUpload' | keyof FormatFacts>> & {
    /** Present if a package reads its files as uploads. */
    readonly upload?: Pick<AddedFacts, 'memory' | 'signatures' | 'owner'>;
  };

/** The value of the option `format`: accepted formats, or `auto` for those that the client names elsewhere. */
export type AskedFormats = readonly (ResultFormatName | 'same')[] | 'auto';

export const FORMATS_PATTERN = /^[a-z0-9]{1,16}(,[a-z0-9]{1,16})*$/;

const RESERVED: readonly string[] = ['same', 'auto'];

export const MAX_SIGNATURE_OFFSET = 64;
export const MAX_SIGNATURE_LENGTH = 16;

/** Never changes: two compressors of one process may have different formats. */
export class ResultFormats {
  static readonly builtIn = new ResultFormats(new Map(Object.entries(RESULT_FORMATS)));

  private constructor(private readonly known: ReadonlyMap<string, ResultFacts>) {}

  /** Returns the name or fact that is taken, and by whom, as a clause, if one is. */
  with(name: string, { isUpload, ...facts }: AddedFacts): ResultFormats | string {
    const upload = isUpload ? { upload: facts } : {};
    // This service writes the format, and the package reads it.
    const own = isUpload ? this.known.get(name) : undefined;
    const isFree = own && !own.owner && own.signatures && (own.upload?.owner ?? facts.owner) === facts.owner;
    const taken = isFree ? undefined : (this.takenFact(name, facts) ?? this.takenSignature(facts));
    return (
      taken ?? new ResultFormats(new Map([...this.known, [name, { ...(isFree ? own : facts), ...upload }]]))
    );
  }

  get names(): readonly ResultFormatName[] {
    return [...this.known.keys()];
  }

  get facts(): readonly ResultFacts[] {
    return [...this.known.values()];
  }

  /** @throws RangeError when there is no such format */
  of(format: ResultFormatName): ResultFacts {
    const facts = this.known.get(format);
    if (!facts) throw new RangeError(`There is no format ${JSON.stringify(format)}`);
    return facts;
  }

  get choices(): string {
    return `same, auto, or one or more of ${this.names.join(', ')}, separated by commas`;
  }

  /** Reads the option `format`, such as `avif,webp`; undefined if it names an unknown format. */
  from(text: string): AskedFormats | undefined {
    if (text === 'auto') return 'auto';
    // People write `jpg`, so every file name extension is a name too.
    const formats = text
      .split(',')
      .map((name) =>
        name === 'same' || this.known.has(name)
          ? name
          : this.find(({ extensions }) => extensions.includes(name)),
      );
    return formats.every((format) => format !== undefined) ? [...new Set(formats)] : undefined;
  }

  /** Returns the formats of media types such as `image/avif; q=0.5`, each once. Types that no result has are left out. */
  ofMediaTypes(types: readonly string[]): ResultFormatName[] {
    const formats = types.map((type) => this.find(hasMediaType(type)));
    return [...new Set(formats.filter((format) => format !== undefined))];
  }

  /** By the first bytes; undefined for others, and for formats without a signature. */
  bySignature(bytes: Uint8Array): ResultFormatName | undefined {
    return formatBySignature(bytes) ?? this.find(({ signatures }) => signatures?.some(begins(bytes)));
  }

  /** The format of an upload that a package reads; undefined for JPG, PNG and all others. */
  addedUpload(bytes: Uint8Array): (ResultFacts['upload'] & { readonly name: ResultFormatName }) | undefined {
    if (formatBySignature(bytes)) return undefined;
    const name = this.find(({ upload }) => upload?.signatures.some(begins(bytes)));
    const upload = name === undefined ? undefined : this.of(name).upload;
    return name !== undefined && upload ? { name, ...upload } : undefined;
  }

  isUpload(bytes: Uint8Array): boolean {
    return formatBySignature(bytes) !== undefined || this.addedUpload(bytes) !== undefined;
  }

  /** The first bytes of a file that show whether it is an upload. */
  get uploadSignatureBytes(): number {
    const added = this.facts.flatMap(({ upload }) => upload?.signatures ?? []);
    return Math.max(SIGNATURE_BYTES, ...added.map(({ offset, hex }) => offset + hex.length / 2));
  }

  /** The labels of the formats that bySignature knows, as part of a sentence. */
  get recognisedOr(): string {
    const labels = this.facts.filter(isRecognised).map(({ label }) => label);
    return `${labels.slice(0, -1).join(', ')} or ${labels.at(-1) ?? ''}`;
  }

  get unrecognised(): string[] {
    return this.facts.filter((facts) => !isRecognised(facts)).map(({ label }) => label);
  }

  private find(isMeant: (facts: ResultFacts) => boolean | undefined): ResultFormatName | undefined {
    return this.names.find((name) => isMeant(this.of(name)));
  }

  private takenFact(name: string, facts: Omit<AddedFacts, 'isUpload'>): string | undefined {
    if (RESERVED.includes(name)) return `the format name "${name}" is taken by this service`;
    for (const [otherName, other] of this.known) {
      if (other.owner === facts.owner) continue;
      const by = `taken by ${other.owner ?? 'this service'}`;
      const extension = facts.extensions.find((text) => other.extensions.includes(text));
      if (otherName === name) return `the format name "${name}" is ${by}`;
      if (extension !== undefined) return `the file name extension "${extension}" is ${by}`;
      if (other.mediaType === facts.mediaType) return `the media type "${facts.mediaType}" is ${by}`;
    }
    return undefined;
  }

  /** Returns which signature of a format shows another format already, as a clause; undefined if none does. */
  private takenSignature({
    signatures,
    owner,
  }: Pick<AddedFacts, 'signatures' | 'owner'>): string | undefined {
    for (const { offset, hex } of signatures) {
      const format = this.bySignature(Buffer.concat([Buffer.alloc(offset), Buffer.from(hex, 'hex')]));
      const { owner: other = 'this service' } = format === undefined ? { owner } : this.of(format);
      const longer = this.facts.find(
        (one) => one.owner !== owner && one.signatures?.some(startsWith({ offset, hex })),
      );
      const taker = other === owner ? longer && (longer.owner ?? 'this service') : other;
      if (taker !== undefined) return `the signature "${hex}" is taken by ${taker}`;
    }
    return undefined;
  }
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

function isRecognised({ owner, signatures = [] }: ResultFacts): boolean {
  return owner === undefined || signatures.length > 0;
}
