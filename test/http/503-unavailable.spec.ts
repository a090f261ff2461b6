import { temporaryFile } from '../support/folders';
import { eventually, until } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { workersOf } from '../support/process-memory.cjs';
import { expectProblem, expectStatus } from '../support/responses';
import {
  formEnd,
  partHead,
  RawClient,
  requestHead,
  startService,
  withKey,
  type Service,
  type Account,
} from '../support/service';
import { lock } from '../support/sqlite-file';

let service: Service & Account;
async function start(env: Record<string, string>) {
  service = await startService(env).then(withKey);
}
/** Takes a worker some tenths of a second. */
let largePhoto: Buffer;
let smallPhoto: Buffer;
beforeAll(async () => {
  largePhoto = await photoJpeg(2000, 1500);
  smallPhoto = await photoJpeg(32, 32);
});

/** The worker processes of the service, below those of a sandbox; none while all are being replaced. */
const workers = () => workersOf(service.process.pid!);
function signalWorkers(signal: NodeJS.Signals) {
  for (const pid of workers()) process.kill(pid, signal);
}

const untilBusy = () => service.untilMetric('workers_busy', 1);
const expectServed = ({ send }: Account = service) => expectStatus(send(smallPhoto), 200);
const lostWorkers = () => service.metric('workers_lost_total');

describe('a service whose queue holds one image', () => {
  beforeAll(() => start({ QUEUE_LIMIT: '1' }));
  afterAll(() => service.stop('SIGKILL'));

  it('overloaded: a full queue refuses at once and serves the images it accepted', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => service.send(largePhoto)));
    const refused = answers.filter(({ status }) => status === 503);
    // One in progress and one that waits; a further one if it arrives after the first is done.
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const response of refused) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      await expectProblem(response, 503, 'overloaded');
    }
  });
});

describe('a service that must finish an image within two seconds', () => {
  beforeAll(() => start({ DEADLINE_MS: '2000' }));
  afterAll(() => service.stop('SIGKILL'));

  it('deadline_exceeded: an image that takes too long is aborted, and the next one is served', async () => {
    // A stopped worker finishes nothing, on any machine. If it stops 5 s before its deadline, its image is retried instead.
    await eventually(async () => {
      signalWorkers('SIGSTOP');
      await expectProblem(service.send(smallPhoto), 503, 'deadline_exceeded');
    });
    // On a slow machine the next images may miss the deadline while the worker is replaced.
    await eventually(() => expectServed());
  });

  it('a slow upload is not charged to the deadline', async () => {
    const length = partHead().length + smallPhoto.length + formEnd.length;
    await eventually(async () => {
      const client = new RawClient(service.port);
      client.write(requestHead(service.apiKey, { 'Content-Length': length }) + partHead());
      const start = performance.now();
      await until(() => performance.now() > start + 2_200);
      client.write(smallPhoto);
      client.write(formEnd);
      const { status } = await client.answer();
      client.close();
      // On a slow machine some attempts may miss the deadline by themselves; with their uploads all would.
      expect(status).toBe(200);
    });
  });
});

describe('a service with one worker', () => {
  const DATABASE_URL = `sqlite:${temporaryFile('service.db')}`;
  beforeAll(() => start({ DATABASE_URL }));
  afterAll(() => service.stop('SIGKILL'));

  it('ready: a pool that finishes nothing is not ready although its processes run, and recovers', async () => {
    const ready = () => fetch(`${service.url}/health/ready`);
    // No image has been finished yet: one would count for some seconds.
    signalWorkers('SIGSTOP');
    const failing = await ready();
    expect(failing.status).toBe(503);
    expect(await failing.json()).toMatchObject({ error: { compression: { verdict: 'not working' } } });
    await eventually(async () => expect((await ready()).status).toBe(200));
  });

  it('retries the image of a killed worker and keeps serving', async () => {
    const answer = service.send(largePhoto);
    await untilBusy();
    signalWorkers('SIGKILL');
    expect((await answer).status).toBe(200);
    signalWorkers('SIGKILL');
    await expectServed();
  });

  it('responds 503 to an image that keeps killing workers, and serves the next one', async () => {
    const answer = service.send(largePhoto);
    const before = await lostWorkers();
    for (let lost = before + 1; lost <= before + 2; lost++) {
      await untilBusy();
      signalWorkers('SIGKILL');
      await until(async () => (await lostWorkers()) >= lost);
    }
    await expectProblem(answer, 503, 'dependency_unavailable');
    await expectServed();
  });

  it('replaces a worker that hangs, and retries its image', async () => {
    const before = await lostWorkers();
    signalWorkers('SIGSTOP');
    await expectServed();
    expect(await lostWorkers()).toBe(before + 1);
  });

  it('a locked database delays neither a finished image nor the event loop', async () => {
    const own = await service.signUp();
    const release = lock(DATABASE_URL);
    await expectServed(own);
    const refused = async () => {
      const response = service.api('account/keys', { ...own, method: 'POST' });
      await fetch(`${service.url}/health/live`);
      await expectProblem(response, 503, 'dependency_unavailable');
    };
    // By default the driver blocks the process for 5 s, each time. On a slow machine some attempts may take as long.
    await eventually(async () => {
      const start = performance.now();
      await refused();
      expect(performance.now() - start).toBeLessThan(4_500);
    });
    release();
    expect(await (await service.api('account', { apiKey: own.apiKey })).json()).toMatchObject({
      usage: { images: 1 },
    });
  });
});
