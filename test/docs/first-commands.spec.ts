import { Folder, PROJECT } from '../support/folders';
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
  const place = new Folder();
  place.put('photo.jpg', PROJECT.read('examples/sample.jpg'));
  return place;
}

function paste(place: Folder, command: string, port = service.port) {
  const script = command.replaceAll('localhost:3000', `127.0.0.1:${port}`);
  return place.program('bash', ['-c', script]);
}

const command = commandIn(PROJECT.text('README.md'));

it('the README has the command that the service prints', () => {
  expect(commandIn(welcome(3000, readSettings({})))).toBe(command);
  expect(commandIn(welcome(3000, readSettings({}), { key: 'ics_key' }))).toBe(command);
});

it.each(['open', 'closed'])('the service prints how to get a key with SIGNUP=%s', (SIGNUP) => {
  const place = folderWithPhoto();
  const used = SIGNUP === 'open' ? service : closed;
  const printed = welcome(3000, readSettings({ DATABASE_URL: used.databaseUrl, SIGNUP }));
  const [, getKey] = /^ {2}(.*you@example\.com.*)$/m.exec(printed) ?? [];
  const { stdout } = paste(PROJECT, getKey);
  const [apiKey] = /ics_\w+/.exec(stdout) ?? [];
  paste(place, `KEY=${apiKey}\n${command}`, used.port);
  expect(decodeIndependently(place.read('smaller.jpg')).width).toBe(1600);
});

it('the command leaves the reason in the file if the service refuses', () => {
  const place = folderWithPhoto();
  paste(place, `KEY=wrong\n${command}`);
  expect(place.text('smaller.jpg')).toContain('"detail":"The API key is malformed;');
});
