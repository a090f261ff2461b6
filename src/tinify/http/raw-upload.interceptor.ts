import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { ArrivingImage } from '../../compression/application/arriving-image';
import { CompressionRunner } from '../../compression/application/running/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../../compression/compression.settings';
import { readBody, type UploadLimits } from '../../compression/http/arriving-body';
import { UploadInterceptor } from '../../compression/http/image-upload.interceptor';
import { UploadBudget } from '../../compression/http/upload-budget';
import { abortedWhenClosed } from '../../compression/http/upload-compression';
import { formatBySignature } from '../../contract/formats';
import { inputMissing, sourceMissing } from '../../contract/tinify-problems';
import { notAnImage } from '../../contract/image-problems';
import { encodedBody } from '../../contract/upload-problems';
import { SourceFetcher } from '../application/source-fetcher.port';

/** Largest JSON body: a URL and little else. */
const MAX_JSON_BYTES = 10 * 1024;

const source = z.object({ source: z.object({ url: z.string() }) });

/** Reads the image that is the body, whatever type the request declares, or fetches it from the URL that the body names. */
@Injectable()
export class RawUploadInterceptor extends UploadInterceptor {
  protected readonly framingBytes = 0;

  constructor(
    @Inject(COMPRESSION_SETTINGS) settings: CompressionSettings,
    budget: UploadBudget,
    runner: CompressionRunner,
    private readonly sources: SourceFetcher,
  ) {
    super(settings, budget, runner);
  }

  protected async read(req: Request, res: Response, limits: UploadLimits): Promise<Buffer> {
    const body = await readRawBody(req, res, limits);
    if (formatBySignature(body)) return body;
    const { maxUploadBytes: maxBytes, onBytes } = limits;
    const signal = abortedWhenClosed(res);
    return this.sources.fetch(urlIn(body), { maxBytes, onBytes, signal });
  }
}

/** Returns an image, or JSON where the request declares it. */
function readRawBody(req: Request, res: Response, limits: UploadLimits): Promise<Buffer> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = req.headers;
  if (encoding !== 'identity') throw encodedBody();
  const isJson = /^application\/json\s*(;|$)/i.test(type);
  return readBody<Buffer>(req, res, limits, (resolve, reject) => {
    const body = new ArrivingImage(limits.maxBodyBytes);
    const check = () => {
      if (body.isImage()) return;
      if (!isJson) reject(notAnImage(body.bytes()));
      else if (body.bytes().length > MAX_JSON_BYTES) reject(sourceMissing());
    };
    return {
      write: (chunk) => {
        if (!body.add(chunk) || isJson) check();
      },
      end: () => {
        if (body.isEmpty) reject(inputMissing());
        check();
        resolve(body.bytes());
      },
    };
  });
}

function urlIn(body: Buffer): string {
  let json: unknown;
  try {
    json = JSON.parse(body.toString());
  } catch {
    throw sourceMissing();
  }
  const { data } = source.safeParse(json);
  if (!data) throw sourceMissing();
  return data.source.url;
}
