import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, temporaryFolder } from '../support/folders';
import { readSettings } from '../../src/settings/settings';
import { welcome } from '../../src/welcome';
import { decodeIndependently } from '../support/images';
import { sharedClient } from '../support/shared-service';

const service = sharedClient();
const closed = sharedClient('closed');

/** As in the README and in the output of a start. */
const COMPRESS = /^ *(curl .*smaller\.jpg)$/m;

function commandIn(text: string) {
  const found = COMPRESS.exec(text);
  if (!found) throw new Error(`There is no ${String(COMPRESS)} in ${text}`);
  return found[1];
}

function folderWithPhoto() {
  const folder = temporaryFolder();
  copyFileSync(join(ROOT, 'examples', 'sample.jpg'), join(folder, 'photo.jpg'));
  return folder;
}

function paste(folder: string, command: string, port = service.port) {
  const script = command.replaceAll('localhost:3000', `127.0.0.1:${port}`);
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' });
  return { stdout, stderr };
}

const command = commandIn(readFileSync(join(ROOT, 'README.md'), 'utf8'));

it('the README has the command that the service prints', () => {
  expect(commandIn(welcome(3000, readSettings({})))).toBe(command);
  expect(commandIn(welcome(3000, readSettings({}), { key: 'ics_key' }))).toBe(command);
});

it.each(['open', 'closed'])('the service prints how to get a key with SIGNUP=%s', (SIGNUP) => {
  const folder = folderWithPhoto();
  const used = SIGNUP === 'open' ? service : closed;
  const printed = welcome(3000, readSettings({ DATABASE_URL: used.databaseUrl, SIGNUP }));
  const [, getKey] = /^ {2}(.*you@example\.com.*)$/m.exec(printed) ?? [];
  const { stdout } = paste(ROOT, getKey);
  const [apiKey] = /ics_\w+/.exec(stdout) ?? [];
  paste(folder, `KEY=${apiKey}\n${command}`, used.port);
  expect(decodeIndependently(readFileSync(join(folder, 'smaller.jpg'))).width).toBe(1600);
});

it('the command leaves the reason in the file if the service refuses', () => {
  const folder = folderWithPhoto();
  paste(folder, `KEY=wrong\n${command}`);
  expect(readFileSync(join(folder, 'smaller.jpg'), 'utf8')).toContain('"detail":"The API key is malformed;');
});
