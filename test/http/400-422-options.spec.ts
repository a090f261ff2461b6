import { type Account, exchange, formEnd, partHead, RawClient, requestHead } from '../support/service';
import { PROFILES, sharedClient } from '../support/shared-service';
import { decodeIndependently, graphicPng, photoJpeg } from '../support/images';
import { expectBytes, expectProblem, expectRawProblem, expectHead, expectStatus } from '../support/responses';

const MAX_DIMENSION_PX = Number(PROFILES.tight.MAX_DIMENSION_PX);

const service = sharedClient('tight');
let account: Account;
beforeEach(async () => (account = await service.signUp()));
let photo: Buffer;
beforeAll(async () => (photo = await photoJpeg(280, 200)));

const compress = (query: string, image: Uint8Array = photo) => account.send(image, query);

describe('options', () => {
  it('quality: names and scores', async () => {
    const sizes: number[] = [];
    for (const quality of ['low', 'high', '0.999']) {
      const response = await compress(`?quality=${quality}`);
      sizes.push((await expectBytes(response)).length);
      if (quality === '0.999') expect(Number(response.headers.get('x-ssim'))).toBeGreaterThanOrEqual(0.999);
    }
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    expect(new Set(sizes).size).toBe(3);
  });

  it('max_dimension: smaller than that of the deployment', async () => {
    const response = await compress('?max_dimension=140');
    expectHead(response, { 'x-dimensions': '140x100' });
    expect(decodeIndependently(await expectBytes(response))).toMatchObject({ width: 140, height: 100 });
  });

  it('metadata: kept on request', async () => {
    const withComment = Buffer.concat([
      photo.subarray(0, 2),
      Buffer.of(0xff, 0xfe, 0, 14),
      Buffer.from('made by me  '),
      photo.subarray(2),
    ]);
    expect((await expectBytes(compress('', withComment))).includes('made by me')).toBe(false);
    expect((await expectBytes(compress('?metadata=all', withComment))).includes('made by me')).toBe(true);
  });

  it('effort: max takes no more bytes than fast', async () => {
    const fast = await expectBytes(compress('?effort=fast'));
    const max = await expectBytes(compress('?effort=max'));
    expect(max.length).toBeLessThanOrEqual(fast.length);
  });

  it('max_bytes: the result fits, with X-Budget, its score and its dimensions', async () => {
    for (const query of ['?max_bytes=5000', '?max_bytes=5kB', '?max_bytes=5%20kb&quality=very-high']) {
      const response = await compress(query);
      const body = await expectBytes(response);
      expect(body.length).toBeLessThanOrEqual(5000);
      expectHead(response, { 'x-compressed-size': String(body.length), 'x-budget': 'met' });
      expect(Number(response.headers.get('x-ssim'))).toBeGreaterThanOrEqual(0.983);
      const { width, height } = decodeIndependently(body);
      expectHead(response, { 'x-dimensions': `${width}x${height}` });
    }
  });

  it('max_bytes: a PNG stays a PNG', async () => {
    const graphic = graphicPng(280, 200);
    const usual = await expectBytes(compress('', graphic));
    const response = await compress(`?max_bytes=${usual.length - 40}`, graphic);
    expectHead(response, { 'content-type': 'image/png' });
    expect((await expectBytes(response)).length).toBeLessThanOrEqual(usual.length - 40);
  });

  it('max_bytes: a file that is small enough is returned unchanged', async () => {
    const small = await expectBytes(compress(''));
    const response = await compress('?max_bytes=1MB', small);
    expectHead(response, { 'x-skipped': '1', 'x-budget': 'met' });
    expect(await expectBytes(response)).toEqual(small);
  });

  it('max_bytes: an image that cannot fit is refused with the smallest possible size, which is reachable', async () => {
    const problem = await expectProblem(compress('?max_bytes=100'), 422, 'budget_unreachable');
    expect(problem['limit']).toBe(100);
    const smallest = Number(problem['actual']);
    expect(problem['detail']).toContain(String(smallest));
    const { length } = await expectBytes(compress(`?max_bytes=${smallest}`));
    expect(length).toBeLessThanOrEqual(smallest);
  });

  it('allow=any: an image that cannot fit is returned as small as possible', async () => {
    const response = await compress('?max_bytes=100&allow=any');
    expectHead(response, { 'x-budget': 'missed' });
    expect((await expectBytes(response)).length).toBeGreaterThan(100);
  });
});

describe('a malformed option is refused, and named', () => {
  it.each([
    'quality=best',
    'quality=0.5',
    'quality=0.99991',
    'quality=0.999999',
    'quality=1',
    'quality=',
    'quality=constructor',
    'max_dimension=15',
    `max_dimension=${MAX_DIMENSION_PX + 1}`,
    'max_dimension=1e2',
    'max_dimension=-100',
    'max_dimension=',
    'metadata=gps',
    'effort=MAX',
    'density=5',
    'max_bytes=0',
    'max_bytes=many',
    'max_bytes=200%20GB',
    'max_bytes=',
  ])('%s', async (query) => {
    const [name] = query.split('=');
    await expectProblem(compress(`?${query}`), 400, 'invalid_request', `"${name}"`);
  });

  it('allow=all, which "any" would be', async () => {
    await expectProblem(compress('?allow=all'), 400, 'invalid_request', '"allow" must be "any".');
  });

  it.each([
    ['80', true],
    ['0.5', false],
    ['best', false],
  ])('quality=%s is taken for the quality of a JPG: %s', async (quality, isTaken) => {
    const { detail } = await expectProblem(compress(`?quality=${quality}`), 400, 'invalid_request');
    expect(detail).toMatch(/low, medium, high, very-high, lossless, or a score from 0\.9 to 0\.9999/);
    expect(String(detail).includes('it is not the quality of a JPG, from 1 to 100.')).toBe(isTaken);
  });

  it.each(['quality', 'max_dimension', 'metadata', 'effort', 'density', 'max_bytes', 'allow'])(
    '%s, when it is given twice',
    async (name) => {
      await expectProblem(compress(`?${name}=200&${name}=200`), 400, 'invalid_request', `"${name}"`);
    },
  );

  it.each(['png_mode=lossless', 'png_depth=8', 'reference=upload'])(
    '%s, which was removed',
    async (option) => {
      await expectProblem(
        compress(`?${option}`),
        400,
        'invalid_request',
        /^The parameter "[a-z_]+" was removed; .+\.$/,
      );
    },
  );

  it.each(['density=2', 'max_bytes=200kB'])('%s with quality=lossless', async (query) => {
    const [name] = query.split('=');
    const sentence = `The parameter "${name}" cannot be combined with the quality "lossless".`;
    const refused = compress(`?quality=lossless&${query}`);
    expect(await expectProblem(refused, 400, 'invalid_request')).toMatchObject({ detail: sentence });
  });

  it.each(['qualty', 'maxBytes', '__proto__', 'a"b\n'])('%j, which is none', async (name) => {
    const refused = compress(`?${encodeURIComponent(name)}=1`);
    const { detail } = await expectProblem(refused, 400, 'invalid_request');
    expect(detail).toContain(JSON.stringify(name));
    expect(detail).toContain('max_bytes');
  });
});

describe('the order of checks', () => {
  const wrongOption = (...head: Parameters<typeof requestHead>) =>
    requestHead(...head).replace('/compress', '/compress?effort=none');

  it('options are checked before the body is requested with 100 Continue', async () => {
    const head = wrongOption(account.apiKey, { 'Content-Length': 1000, Expect: '100-continue' });
    const client = RawClient.sending(service.port, head);
    await client.closed;
    expect(client.statuses).toEqual([400]);
  });

  it('credentials are checked before options', async () => {
    const head = wrongOption('ics_unknown', { 'Content-Length': 1000 });
    await expectStatus(exchange(service.port, head), 401);
  });

  it('options are checked before the form', async () => {
    const body = partHead('wrong') + formEnd;
    const head = wrongOption(account.apiKey, { 'Content-Length': body.length });
    expectRawProblem(await exchange(service.port, head, body), 400, 'invalid_request');
  });
});
