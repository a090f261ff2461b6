import { describeInBrowser, jpegFile, visit, IN_MOTION } from '../support/browser';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { sharedClient } from '../support/shared-service';

/** Keeps every state that the page showed, also one that is gone before a test could ask for it. */
const RECORD_WORDS = `globalThis.seen = [];
  new MutationObserver(() => {
    const words = document.querySelector('.progress-words')?.textContent;
    if (words && words !== seen.at(-1)) seen.push(words);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });`;

describeInBrowser('the queue', () => {
  const service = sharedClient();
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(64, 48)));

  it('shows how far an upload is, and then that the image is being compressed', async () => {
    const { page, row, choose, signUp } = await visit(service.url, IN_MOTION);
    await signUp();
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 500_000 };
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', slow);
    await page.evaluate(RECORD_WORDS);
    await choose(jpegFile('slow.jpg', Buffer.concat([photo, Buffer.alloc(1_000_000)])));
    await page.getByText('1 image done').waitFor();
    const words = await page.evaluate<string[]>('seen');
    const percents = words.flatMap((text) => /^Uploading, (\d+)%$/.exec(text)?.slice(1).map(Number) ?? []);
    expect(percents.filter((percent) => percent > 0 && percent < 100).length).toBeGreaterThan(0);
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    expect(words.at(-1)).toMatch(/^Finding the smallest JPG that looks the same … \d+ s$/);
    expect(await row('slow.jpg').getByRole('progressbar').count()).toBe(0);
  });

  it('sends two images at a time, in their order, and what is taken off the list is not sent', async () => {
    const { page, row, choose, signUp } = await visit(service.url, IN_MOTION);
    const key = await signUp();
    const held: (() => void)[] = [];
    await page.route('**/api/v1/compress', async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue().catch(() => undefined);
    });
    const names = ['1.jpg', '2.jpg', '3.jpg', '4.jpg'];
    await choose(...names.map((name) => jpegFile(name, photo)));
    const states = () =>
      page
        .locator('.job')
        .evaluateAll((rows) =>
          (rows as unknown as { dataset: { state: string } }[]).map(({ dataset }) => dataset.state),
        );
    const expectWaiting = (...waiting: boolean[]) =>
      eventually(async () => expect((await states()).map((state) => state === 'waiting')).toEqual(waiting));
    await row('4.jpg').getByText('Waiting').waitFor();
    await expectWaiting(false, false, true, true);

    // One that is under way makes room for the next, and so does one that ends.
    await page.getByRole('button', { name: 'Remove 1.jpg' }).click();
    await row('3.jpg').getByRole('progressbar').waitFor();
    await expectWaiting(false, false, true);
    await page.getByRole('button', { name: 'Remove 4.jpg' }).click();
    await page.unroute('**/api/v1/compress');
    for (const release of held) release();
    await page.getByText('2 images done').waitFor();
    const account = await fetch(`${service.url}/api/v1/account`, { headers: { 'X-API-Key': key } });
    expect(await account.json()).toMatchObject({ usage: { images: 2 } });
  });
});
