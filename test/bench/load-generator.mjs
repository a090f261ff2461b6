/** Clients that each send their next image after the response to the previous one. */
import { Agent, request } from 'node:http';

/** Wait of a refused client: much less than Retry-After, to keep the load up. */
const REFUSED_PAUSE_MS = 250;
const BOUNDARY = 'load-4f1c9a';

export function bodiesOf(images) {
  return images.map(({ name, bytes }) =>
    Buffer.concat([
      Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="image"; filename="${encodeURIComponent(name)}"\r\n` +
          'Content-Type: application/octet-stream\r\n\r\n',
      ),
      bytes,
      Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
    ]),
  );
}

/** Sends bodies until `next` returns undefined, refused ones again. Returns times in ms and refusals by code. */
export async function sendWith({ url, apiKey }, clients, next) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const latencies = [];
  const timings = [];
  const refusals = {};
  const start = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let body = next(); body; body = next()) {
        for (;;) {
          const sentAt = performance.now();
          const { status, code, timing } = await send({ url, apiKey, agent }, body);
          if (status === 200) {
            latencies.push(performance.now() - sentAt);
            timings.push({ body, timing });
            break;
          }
          if (status !== 503)
            throw new Error(`${status} ${code}: only 200 and 503 have a place in a benchmark`);
          refusals[code] = (refusals[code] ?? 0) + 1;
          await new Promise((resolve) => setTimeout(resolve, REFUSED_PAUSE_MS));
        }
      }
    }),
  );
  agent.destroy();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { latencies, timings, refusals, seconds, cores: (user + system) / 1e6 / seconds };
}

function send({ url, apiKey, agent }, body) {
  return new Promise((resolve, reject) => {
    const headers = {
      'X-API-Key': apiKey,
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
      'Content-Length': body.length,
    };
    const { hostname, port } = url;
    const sent = request(
      { hostname, port, path: '/api/v1/compress', method: 'POST', agent, headers },
      (answer) => {
        const status = answer.statusCode;
        let text = '';
        answer.on('data', (piece) => {
          if (status !== 200) text += piece;
        });
        answer.on('end', () =>
          resolve({
            status,
            code: status === 200 ? '' : JSON.parse(text).code,
            timing: answer.headers['server-timing'],
          }),
        );
        answer.on('error', reject);
      },
    );
    // A refusal may close the connection while the body is still being written; the response has arrived already.
    let isAnswered = false;
    sent.once('response', () => (isAnswered = true));
    sent.on('error', (error) => {
      if (!isAnswered) reject(error);
    });
    sent.end(body);
  });
}
