/**
 * Usage by key and month after each of three replicas was killed (-9) under load, beside the images that clients have received. A
 * process that is killed may lose what it answered in its last second; an image that it was making may count without having arrived.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startService } from './service-process.mjs';

const REPLICAS = 3;
const CLIENTS = 6;
const KEYS = 2;
const BETWEEN_KILLS_MS = 3_000;
/** How often a process writes its usage: FLUSH_INTERVAL_MS in src/accounts/application/usage.service.ts. */
const UNWRITTEN_MS = 1_000;

/**
 * Prints a line for each key.
 * @param store its name
 * @param url of an empty database
 */
export async function usageAfterKills(store, url, image) {
  const start = () => startService(1, { DATABASE_URL: url });
  const replicas = [];
  while (replicas.length < REPLICAS) replicas.push(await start());
  const [{ apiKey }] = replicas;
  const ask = async (replica, path, method = 'GET') =>
    (
      await fetch(new URL(`/api/v1/account${path}`, replica.url), {
        method,
        headers: { 'X-API-Key': apiKey },
      })
    ).json();
  const keys = [];
  while (keys.length < KEYS) keys.push(await ask(replicas[0], '/keys', 'POST'));

  const sent = [];
  let isLoading = true;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const key = keys[client % KEYS];
    for (let turn = client; isLoading; turn++) {
      const one = { keyId: key.keyId, replica: replicas[turn % REPLICAS], sentAt: performance.now() };
      sent.push(one);
      one.outcome = await send(one.replica, key.apiKey, image);
      one.at = performance.now();
      if (one.outcome !== 200) await pause(50);
    }
  });
  const kills = [];
  for (let i = 0; i < REPLICAS; i++) {
    await pause(BETWEEN_KILLS_MS);
    const replica = replicas[i];
    kills.push({ replica, at: performance.now() });
    await replica.stop('SIGKILL');
    replicas[i] = await start();
  }
  await pause(BETWEEN_KILLS_MS);
  isLoading = false;
  await Promise.all(clients);
  // Each replica writes its part before it answers.
  for (const replica of replicas) await ask(replica, '');
  const { usage } = await ask(replicas[0], '/usage');

  for (const { keyId } of keys) {
    const ofKey = sent.filter((one) => one.keyId === keyId);
    const received = ofKey.filter(({ outcome }) => outcome === 200).length;
    const months = usage.filter((row) => row.keyId === keyId);
    const counted = months.reduce((sum, { images }) => sum + images, 0);
    const ofKilled = kills.flatMap(({ replica, at }) =>
      ofKey
        .filter((one) => one.replica === replica)
        .map((one) => ({ ...one, age: at - one.at, wasSent: one.sentAt < at })),
    );
    const unwritten = ofKilled.filter(({ outcome, age }) => outcome === 200 && age < UNWRITTEN_MS).length;
    const cut = ofKilled.filter(({ outcome, age, wasSent }) => outcome !== 200 && wasSent && age <= 0).length;
    const isWithin = counted >= received - unwritten && counted <= received + cut;
    const text = months.map(({ month, images }) => `${month}: ${images}`).join(', ');
    console.log(
      [
        store,
        keyId.slice(0, 8),
        received,
        text,
        counted - received,
        `-${unwritten} to +${cut}`,
        isWithin ? 'yes' : 'no',
      ].join(' | '),
    );
  }
  await Promise.all(replicas.map((replica) => replica.stop()));
}

async function send({ url }, key, image) {
  const form = new FormData();
  form.append('image', new Blob([image]), 'image.jpg');
  const address = new URL('/api/v1/compress?effort=fast&max_dimension=64', url);
  try {
    const response = await fetch(address, { method: 'POST', headers: { 'X-API-Key': key }, body: form });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 'no answer';
  }
}
