import { execFileSync } from 'node:child_process';
import { photoJpeg } from '../support/images';
import { expectProblem } from '../support/problem';
import { startService } from '../support/service';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The worker processes of a service. */
function workersOf(pid: number): number[] {
  return execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .map(Number)
    .filter((child) => child > 0);
}

it('overloaded: a full queue refuses at once and serves the ones it took', async () => {
  const service = await startService({ WORKERS: '1', QUEUE_LIMIT: '1' });
  const { apiKey } = await service.signUp();
  const photo = await photoJpeg(1600, 1200);
  const answers = await Promise.all(Array.from({ length: 5 }, () => service.compress(photo, apiKey)));
  const refused = answers.filter(({ status }) => status === 503);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
  expect(refused).toHaveLength(3);
  for (const response of refused) {
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    await expectProblem(response, 503, 'overloaded');
  }
  await service.stop();
});

it('deadline_exceeded: an image that takes too long is given up, and the next one is served', async () => {
  const service = await startService({ WORKERS: '1', DEADLINE_MS: '150' });
  const { apiKey } = await service.signUp();
  await expectProblem(await service.compress(await photoJpeg(2400, 1800), apiKey), 503, 'deadline_exceeded');
  await pause(1500);
  expect((await service.compress(await photoJpeg(32, 32), apiKey)).status).toBe(200);
  await service.stop();
});

it('a worker that dies costs its own request; the service recovers without a restart', async () => {
  const service = await startService({ WORKERS: '1' });
  const { apiKey } = await service.signUp();
  const answer = service.compress(await photoJpeg(2400, 1800), apiKey);
  await pause(300);
  for (const pid of workersOf(service.process.pid!)) process.kill(pid, 'SIGKILL');
  await expectProblem(await answer, 503, 'dependency_unavailable');
  await pause(1500);
  expect((await service.compress(await photoJpeg(32, 32), apiKey)).status).toBe(200);
  await service.stop();
});

it('draining: on SIGTERM what runs is finished, what comes is refused, and the exit code is 0', async () => {
  const service = await startService({ WORKERS: '1' });
  const { apiKey } = await service.signUp();
  const running = service.compress(await photoJpeg(1600, 1200), apiKey);
  await pause(300);
  const stopped = service.stop('SIGTERM');
  await pause(50);
  await expectProblem(await service.compress(await photoJpeg(32, 32), apiKey), 503, 'draining');
  const ready = await fetch(`${service.url}/health/ready`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({ status: 'error', error: { lifecycle: { status: 'down' } } });
  expect((await running).status).toBe(200);
  expect(await stopped).toBe(0);
});
