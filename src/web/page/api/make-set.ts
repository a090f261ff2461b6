/** Makes the files of a `srcset`, and reads them from the response as they arrive: multipart/mixed (RFC 2046). */
import { CONNECTION_LOST, troubleFrom, type Trouble } from '../words/trouble';

/** A finished file of a set, in `set.json`. */
export interface SetFile {
  readonly name: string;
  readonly format: string;
  /** In pixels. */
  readonly width: number;
  readonly density: number;
  readonly bytes: number;
  /** A file of the same width that more browsers show and that is not larger. */
  readonly largerThan?: string;
}

/** The parts of `set.json` that the page shows. */
export interface SetDescription {
  readonly files: readonly SetFile[];
  readonly failed: readonly (Pick<SetFile, 'name' | 'format' | 'width' | 'density'> & {
    readonly message: string;
  })[];
  readonly markup: string;
}

export type SetOutcome =
  | { readonly kind: 'done'; readonly files: readonly File[]; readonly description: SetDescription }
  | { readonly kind: 'refused'; readonly trouble: Trouble };

interface SetRequest {
  readonly apiKey: string;
  /** Called with the number of images so far. */
  readonly onFile: (count: number) => void;
  readonly signal: AbortSignal;
}

const DESCRIPTION = 'set.json';

/** @param query the options, as in "?widths=480,960" */
export async function makeSet(
  image: File,
  query: string,
  { apiKey, onFile, signal }: SetRequest,
): Promise<SetOutcome> {
  const body = new FormData();
  body.append('image', image);
  const headers = { Authorization: `Bearer ${apiKey}`, Accept: 'multipart/mixed' };
  try {
    const response = await fetch(`/api/v1/sets${query}`, { method: 'POST', headers, body, signal });
    if (!response.ok || !response.body) {
      return { kind: 'refused', trouble: troubleFrom(response.status, await response.text()) };
    }
    const files: File[] = [];
    for await (const file of partsOf(new BodyReader(response.body.getReader()))) {
      files.push(file);
      if (file.name !== DESCRIPTION) onFile(files.length);
    }
    const text = await files.find(({ name }) => name === DESCRIPTION)?.text();
    return { kind: 'done', files, description: JSON.parse(text ?? '') as SetDescription };
  } catch {
    // Without its last part the response is not whole.
    return { kind: 'refused', trouble: CONNECTION_LOST };
  }
}

/** Every part has its length and its name; nothing follows the last delimiter. */
async function* partsOf(body: BodyReader): AsyncGenerator<File> {
  while (!(await body.line()).endsWith('--')) {
    const headers = new Headers();
    for (let line = await body.line(); line !== ''; line = await body.line()) {
      const colon = line.indexOf(':');
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    }
    const content = await body.bytes(Number(headers.get('Content-Length')));
    const [, name = ''] = /filename\*=UTF-8''(.*)/.exec(headers.get('Content-Disposition') ?? '') ?? [];
    yield new File(content, decodeURIComponent(name), { type: headers.get('Content-Type') ?? '' });
    await body.line();
  }
}

/** Reads a body line by line, or a number of bytes. */
class BodyReader {
  private rest: Uint8Array<ArrayBuffer> = new Uint8Array();

  constructor(private readonly reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>) {}

  /** Returns the text before the next line break. Lines are short. */
  async line(): Promise<string> {
    let text = '';
    while (!text.endsWith('\r\n')) {
      for (const piece of await this.bytes(1)) text += String.fromCharCode(...piece);
    }
    return text.slice(0, -2);
  }

  async bytes(count: number): Promise<Uint8Array<ArrayBuffer>[]> {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for (let left = count; left > 0;) {
      if (this.rest.length === 0) {
        const { value } = await this.reader.read();
        if (!value) throw new Error('The response has no end');
        this.rest = value;
      }
      const piece = this.rest.subarray(0, left);
      this.rest = this.rest.subarray(piece.length);
      left -= piece.length;
      pieces.push(piece);
    }
    return pieces;
  }
}
