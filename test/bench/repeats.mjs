/**
 * A load with a share of repeated uploads, on a service without and one with remembered results in memory. Both get the
 * same uploads, in alternating pairs.
 */
import { crc32 } from 'node:zlib';
import { bodiesOf, sendWith } from './load-generator.mjs';
import { startService } from './service-process.mjs';
import { median } from './support.mjs';

const PAIRS = 3;
/** Enough for all results, because eviction is not measured here. */
const CACHE_MB = '1024';

export async function compareRepeats(images, workers, share, seconds) {
  const services = {
    without: await startService(workers),
    with: await startService(workers, { CACHE_MB }),
  };
  const clients = workers * 2;
  let made = 0;
  const newUpload = () => {
    const { name, bytes } = images[made % images.length];
    return bodiesOf([{ name, bytes: withComment(bytes, `upload ${made++}`) }])[0];
  };
  /** Uploads in turn: new ones or, with probability `share`, earlier ones. */
  const uploads = (count, random) => {
    const sent = [];
    for (let i = 0; i < count; i++) {
      const isRepeat = sent.length > 0 && random() < share;
      sent.push(isRepeat ? sent[Math.floor(random() * sent.length)] : newUpload());
    }
    return sent;
  };

  // Loads the codecs, and measures how many images fill the time.
  const warming = Array.from({ length: images.length }, newUpload);
  await sendWith(services.with, clients, inTurn(warming));
  const { seconds: taken } = await sendWith(services.without, clients, inTurn(warming));
  const count = Math.max(images.length * 2, Math.ceil((seconds * images.length) / taken));
  console.log(
    `${clients} clients, ${count} uploads a step, ${share * 100} % of them sent before, in ${PAIRS} pairs`,
  );
  console.log('           images/s   p50 ms   p95 ms     hits');
  const ratios = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const bodies = uploads(count, randomNumbers(pair + 1));
    const rates = {};
    for (const [name, service] of Object.entries(services)) {
      const before = await hitsOf(service);
      const { latencies, seconds: time } = await sendWith(service, clients, inTurn(bodies));
      rates[name] = latencies.length / time;
      const sorted = latencies.sort((a, b) => a - b);
      const at = (part) => sorted[Math.floor((sorted.length - 1) * part)].toFixed(0).padStart(8);
      const hits = (100 * ((await hitsOf(service)) - before)) / latencies.length;
      console.log(
        `${name.padEnd(8)} ${rates[name].toFixed(2).padStart(10)} ${at(0.5)} ${at(0.95)} ${hits.toFixed(0).padStart(6)} %`,
      );
    }
    ratios.push(rates.with / rates.without);
  }
  console.log(`median ratio of the rates ${median(ratios).toFixed(2)}`);
  await Promise.all(Object.values(services).map((service) => service.stop()));
}

const hitsOf = async (service) => (await service.metrics())['ics_remembered_images_total'];

function inTurn(items) {
  let given = 0;
  return () => items[given++];
}

/**
 * The same image as different bytes: with a comment after the first marker of a JPG, or after the first chunk of a PNG.
 */
function withComment(bytes, text) {
  const isPng = bytes[0] === 0x89;
  const at = isPng ? 33 : 2;
  const words = Buffer.from(isPng ? `Comment\0${text}` : text);
  return Buffer.concat([
    bytes.subarray(0, at),
    isPng ? chunk('tEXt', words) : segment(words),
    bytes.subarray(at),
  ]);
}

function segment(words) {
  const head = Buffer.from([0xff, 0xfe, 0, 0]);
  head.writeUInt16BE(words.length + 2, 2);
  return Buffer.concat([head, words]);
}

function chunk(type, data) {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A repeatable stream of numbers in 0..1. */
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
