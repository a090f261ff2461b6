/** How much of a refused body is discarded, and for how long; over HTTP: test/http/writes-before-reads.spec.ts. */
import { EventEmitter } from 'node:events';
import { closeAfterResponse } from '../../../src/http/request-body';
import { partOf } from '../../support/part-of';

const MEBIBYTE = 1024 * 1024;
const PATIENT = 64;

function refused() {
  const socket = Object.assign(new EventEmitter(), {
    destroyed: false,
    destroySoon: () => undefined,
    end: () => undefined,
    destroy: () => {
      socket.destroyed = true;
      socket.emit('close');
    },
  });
  let isPaused = false;
  const body = { headers: { 'content-length': '1000000000' }, complete: false, socket };
  const flow = {
    pause: () => (isPaused = true),
    resume: () => (isPaused = false),
    isPaused: () => isPaused,
  };
  const req = Object.assign(new EventEmitter(), body, flow);
  closeAfterResponse(partOf(req), partOf({ setHeader: () => undefined }));
  const discarded = () => {
    let sent = 0;
    for (; !isPaused; sent++) req.emit('data', Buffer.alloc(MEBIBYTE));
    return sent - 1;
  };
  /** Node calls this when the response is written. */
  const respond = () => socket.destroySoon();
  return { socket, respond, discarded, close: () => socket.emit('close') };
}

it('discards 64 MiB on 64 connections, and 1 MiB on further ones until one of those has closed', () => {
  const patient = Array.from({ length: PATIENT }, refused);
  const brief = refused();
  expect(brief.discarded()).toBe(1);
  expect(patient[PATIENT - 1].discarded()).toBe(64);
  patient[0].close();
  const next = refused();
  expect(refused().discarded()).toBe(1);
  expect(next.discarded()).toBe(64);
  for (const { close } of [...patient.slice(1), next]) close();
});

describe('after the response', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());
  const isOpenAfter = (ms: number, { socket }: ReturnType<typeof refused>) => {
    jest.advanceTimersByTime(ms);
    return !socket.destroyed;
  };

  it('waits 30 s for the client to close, also if it pauses', () => {
    const client = refused();
    client.respond();
    expect([isOpenAfter(29_999, client), isOpenAfter(1, client)]).toEqual([true, false]);
  });

  it.each(['before', 'after'])('waits 1 s for a client that sends too much %s the response', (when) => {
    const client = refused();
    if (when === 'after') client.respond();
    client.discarded();
    if (when === 'before') client.respond();
    expect([isOpenAfter(999, client), isOpenAfter(1, client)]).toEqual([true, false]);
  });

  it('waits 1 s beyond 64 connections', () => {
    const patient = Array.from({ length: PATIENT }, refused);
    const brief = refused();
    brief.respond();
    expect([isOpenAfter(999, brief), isOpenAfter(1, brief)]).toEqual([true, false]);
    for (const { close } of patient) close();
  });
});
