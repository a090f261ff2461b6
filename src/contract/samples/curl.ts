import { EXAMPLE_KEY, EXAMPLE_ORIGIN, TRIES, type SampledOperation } from './sampled-operation';

export function curl({ method, path, needsKey, json, files, savedAs }: SampledOperation): string {
  const url = `${EXAMPLE_ORIGIN}${path}`;
  const isImplied = method === 'GET' || (json ?? files) !== undefined;
  const fields = Object.entries(files ?? {}).map(([field, name]) => `-F ${field}=@${name}`);
  // It obeys Retry-After.
  const retry = files && `--retry ${TRIES - 1}`;
  return [
    `curl ${/[?&]/.test(url) ? `"${url}"` : url}`,
    ...(isImplied ? [] : [`-X ${method}`]),
    ...(needsKey ? [`-H "Authorization: Bearer ${EXAMPLE_KEY}"`] : []),
    ...(json ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(json)}'`] : []),
    ...(fields.length > 0 ? [fields.join(' ')] : []),
    // Shows the reason if there is no such file. `grep` leaves out the file of an earlier call.
    ...(savedAs
      ? [`-o ${savedAs}`, ['-sS', retry, '--fail-with-body'].join(' '), `|| grep -as '"detail"' ${savedAs}`]
      : retry
        ? [`-sS ${retry}`]
        : []),
  ].join(' \\\n  ');
}
