/** How much of a refused body is discarded, over HTTP: test/http/writes-before-reads.spec.ts. */
import { EventEmitter } from 'node:events';
import { closeAfterResponse } from '../../../src/http/unread-body';

const MEBIBYTE = 1024 * 1024;
const PATIENT = 64;

/** A connection with a refused request. */
function refused() {
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  let isPaused = false;
  const body = { headers: { 'content-length': '1000000000' }, complete: false, socket };
  const flow = { pause: () => (isPaused = true), resume: () => (isPaused = false) };
  const req = Object.assign(new EventEmitter(), body, flow);
  closeAfterResponse(req as never, { setHeader: () => undefined } as never);
  /** Returns how many megabytes are read before the service stops reading. */
  const discarded = () => {
    let sent = 0;
    for (; !isPaused; sent++) req.emit('data', Buffer.alloc(MEBIBYTE));
    return sent - 1;
  };
  return { discarded, close: () => socket.emit('close') };
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
});
