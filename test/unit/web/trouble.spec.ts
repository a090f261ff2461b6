import { cannotConvert, damaged, lostTransparency, undecodable } from '../../../src/contract/image-problems';
import { Formats } from '../../../src/contract/formats';
import { workerLost } from '../../../src/contract/service-problems';
import { troubleFrom, wrongFormat } from '../../../src/web/page/words/trouble';

it.each([
  ['%PDF-1.7 and so on', 'letter.pdf', 'This is a PDF', 'Export its pages as images.'],
  ['%PDF-1.7 and so on', 'letter.jpg', 'This is a PDF, although its name ends in .jpg', 'Export its pages'],
  ['\0\0\0\x18ftypheic\0\0\0\0', 'IMG_1.HEIC', 'This is a HEIC', 'export it as JPG'],
  ['RIFF....WEBPVP8 ', 'a.webp', 'This is a WebP', 'Use the JPG or PNG that it was made from'],
  ['GIF89a', 'a.gif', 'This is a GIF', 'Export it as JPG or PNG'],
  ['hello', 'notes.txt', 'This is not a JPG or PNG', ''],
  ['hello', 'a.PNG', 'This is not a PNG, although its name ends in .png', ''],
])('names what is no image for this service, by its first bytes: %j, %s', (start, name, title, text) => {
  const trouble = wrongFormat(Buffer.from(start, 'latin1'), name, Formats.builtIn.accepting());
  expect(trouble.title).toBe(title);
  expect(trouble.text).toContain(text);
});

it.each([
  [cannotConvert(lostTransparency('JPG')), 'It has transparency. Choose another format.'],
  [workerLost(), 'Part of the service is not working. Try again in a moment.'],
  [undecodable('PNG'), 'It is damaged, truncated or of an unsupported type. Open it in an image editor'],
  [
    damaged('JPEG', 'it has no frame header'),
    'The JPEG is damaged: it has no frame header. Open it in an image editor',
  ],
])('says of "%s" what the page offers, and no parameter', (refusal, text) => {
  const trouble = troubleFrom(422, JSON.stringify(refusal.toBody('id')));
  expect(`${trouble.title}. ${trouble.text}`).toContain(text);
  expect(trouble.text).not.toContain('"');
});

it('shows the detail of a reason that it does not know', () => {
  const newer = { code: 'newer', title: 'No', detail: 'Too new.', reason: 'toString' };
  expect(troubleFrom(422, JSON.stringify(newer)).text).toBe('Too new.');
});

it('says what happened and what to do next, also when something in between answers in HTML', () => {
  const problem = { code: 'deadline_exceeded', title: 'Took too long', detail: 'Not done.', retry_after: 5 };
  expect(troubleFrom(503, JSON.stringify({ ...problem, request_id: 'r1' }))).toEqual({
    code: 'deadline_exceeded',
    status: 503,
    title: 'Took too long',
    text: 'The service is too busy for it. Try again later, or send a smaller image.',
    retryAfterSeconds: 5,
    requestId: 'r1',
  });
  const tooSmall = { code: 'budget_unreachable', title: 'No', detail: 'No.', limit: 5000, actual: 12_345 };
  expect(troubleFrom(422, JSON.stringify(tooSmall))).toMatchObject({
    title: 'Does not fit into 5 kB',
    text: '',
    leastBytes: 12_345,
  });
  const limited = {
    code: 'rate_limited',
    title: 'Too many',
    detail: 'Only 5; try again in 50 s.',
    retry_after: 50,
  };
  expect(troubleFrom(429, JSON.stringify(limited)).text).toBe('Only 5; try again in 50 s.');
  expect(troubleFrom(502, '<h1>Bad gateway</h1>').text).toContain('responded with status 502');
  expect(troubleFrom(500, 'null').title).toBe('Unexpected response');
});
