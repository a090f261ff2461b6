/** Bodies of responses that stand for those of the service. */
export const RATE_LIMITED = JSON.stringify({
  code: 'rate_limited',
  status: 429,
  title: 'Too many requests',
  detail:
    'This account may send 1 requests per minute to compress images, refused ones included; try again in 3 s.',
  retry_after: 3,
});

export const OVERLOADED = JSON.stringify({
  code: 'overloaded',
  status: 503,
  title: 'The service is busy',
  detail: 'All workers are busy.',
  retry_after: 1,
});
