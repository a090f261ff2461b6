/**
 * Fetches images over HTTP from listed hosts, without a way into the private network (SSRF):
 *
 *   host      only listed names, on the default or the listed port; checked again after each redirect
 *   address   the name is resolved here, all of its addresses have to be public, and the connection goes to one of them:
 *             a name that resolves differently the next time (DNS rebinding) gains nothing
 *   response  bounded in size, time and redirects; it has to begin like a JPG or PNG; nothing of it is repeated to the client
 *   request   carries no credentials, no cookies and nothing of the client's request
 */
import { UPLOAD_MEDIA_TYPES } from '../../contract/formats';
import { lookup as resolve, type LookupAddress } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { CompressionUnavailable } from '../../compression/application/running/compression-runner.port';
import { ArrivingImage } from '../../compression/application/arriving-image';
import { Problem } from '../../contract/problem';
import {
  malformedSourceUrl,
  noUrlSources,
  sourceNotAllowed,
  sourceUnavailable,
} from '../../contract/tinify-problems';
import { notAnImage } from '../../contract/image-problems';
import { imageTooLarge } from '../../contract/upload-problems';
import { SourceFetcher, type FetchLimits } from '../application/source-fetcher.port';
import type { SourceHost } from '../tinify.settings';
import { isPublicAddress } from './public-address';

const MAX_REDIRECTS = 3;
/** For all redirects and the whole body: 20 MB take 10 s at 16 Mbit/s. */
const FETCH_TIMEOUT_MS = 15_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const DEFAULT_PORTS: Readonly<Record<string, number | undefined>> = { 'http:': 80, 'https:': 443 };

/** Replaced in tests. */
export interface Network {
  readonly resolve: (
    host: string,
    options: { readonly all: true },
    done: (error: Error | null, addresses: LookupAddress[]) => void,
  ) => void;
  readonly isPublic: (address: string) => boolean;
  readonly timeoutMs: number;
}

const INTERNET: Network = { resolve, isPublic: isPublicAddress, timeoutMs: FETCH_TIMEOUT_MS };

export class HttpSourceFetcher extends SourceFetcher {
  constructor(
    private readonly sources: readonly SourceHost[],
    private readonly network = INTERNET,
  ) {
    super();
  }

  async fetch(text: string, limits: FetchLimits): Promise<Buffer> {
    if (this.sources.length === 0) throw noUrlSources();
    const signal = AbortSignal.any([limits.signal, AbortSignal.timeout(this.network.timeoutMs)]);
    try {
      let url = parsed(text);
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const response = await this.open(url, signal);
        if (!REDIRECTS.has(response.statusCode ?? 0)) return await imageOf(response, limits);
        response.destroy();
        url = parsed(response.headers.location ?? '', url);
      }
    } catch (error) {
      if (limits.signal.aborted) throw new CompressionUnavailable('cancelled');
      if (error instanceof Problem || error instanceof CompressionUnavailable) throw error;
    }
    throw sourceUnavailable();
  }

  private open(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
    const { isPublic } = this.network;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = Number(url.port || DEFAULT_PORTS[url.protocol]);
    if (!this.isListed(host, port, url.protocol)) throw sourceNotAllowed();
    // Node resolves names only: an address in the URL never reaches `lookup`.
    if (isIP(host) !== 0 && !isPublic(host)) throw sourceUnavailable();
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((done, fail) => {
      const request = send(url, {
        // A connection of its own: one that is reused was checked for another request.
        agent: false,
        lookup: this.publicLookup,
        headers: { Accept: UPLOAD_MEDIA_TYPES.join(', '), 'Accept-Encoding': 'identity' },
        signal,
      });
      request.once('response', done).on('error', fail).end();
    });
  }

  private isListed(host: string, port: number, protocol: string): boolean {
    return this.sources.some(
      ({ name, port: listedPort = DEFAULT_PORTS[protocol] }) =>
        port === listedPort && (name.startsWith('.') ? host.endsWith(name) : host === name),
    );
  }

  /** A host with both public and private addresses is refused too: that is never an accident. */
  private readonly publicLookup: LookupFunction = (host, options, done) => {
    this.network.resolve(host, { all: true }, (error, addresses) => {
      const isPublic =
        !error && addresses.length > 0 && addresses.every(({ address }) => this.network.isPublic(address));
      if (!isPublic) done(error ?? new Error('not a public address'), '', 0);
      else if (options.all) done(null, addresses);
      else done(null, addresses[0].address, addresses[0].family);
    });
  };
}

/** @throws Problem unless it is a URL that may be requested */
function parsed(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
  if (!url || !(url.protocol in DEFAULT_PORTS) || url.username || url.password) throw malformedSourceUrl();
  return url;
}

/** Returns the image that a response contains. */
async function imageOf(response: IncomingMessage, { maxBytes, onBytes }: FetchLimits): Promise<Buffer> {
  if (response.statusCode !== 200 || response.headers['content-encoding']) {
    response.destroy();
    throw sourceUnavailable();
  }
  const declared = Number(response.headers['content-length'] ?? maxBytes);
  const image = new ArrivingImage(Math.min(declared, maxBytes));
  let received = 0;
  // Leaving the loop destroys the response.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (Math.max(declared, received) > maxBytes) throw imageTooLarge(maxBytes, Math.max(declared, received));
    onBytes(received);
    if (!image.add(chunk)) throw notAnImage(image.bytes());
  }
  if (!image.isImage()) throw notAnImage(image.bytes());
  return image.bytes();
}
