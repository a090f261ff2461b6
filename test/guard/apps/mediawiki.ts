/** MediaWiki on SQLite: uploads by the form and by the API, and a page that shows them. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { find, run, servePhp, type App } from './app';

const ROOT = '/usr/share/mediawiki';

export const mediawiki: App = {
  needs: [join(ROOT, 'maintenance', 'install.php'), '/usr/share/php8.2-sqlite3'],
  install(folder) {
    const [snapshot, state] = [join(folder, 'snapshot'), join(folder, 'state')];
    mkdirSync(join(snapshot, 'images'), { recursive: true });
    const site = ['--dbtype', 'sqlite', '--dbpath', snapshot, '--confpath', folder, '--scriptpath', ''];
    const admin = ['--server', 'http://photos.example', '--pass', 'correct horse', 'Photos', 'Admin'];
    run('php', join(ROOT, 'maintenance', 'install.php'), ...site, ...admin);
    const settings = `$wgSQLiteDataDir = '${state}'; $wgUploadDirectory = '${state}/images'; $wgUploadPath = '/images';
      $wgEnableUploads = true; $wgUseImageMagick = false; $wgJobRunRate = 0; $wgMinUploadChunkSize = 1024;`;
    appendFileSync(join(folder, 'LocalSettings.php'), settings);
  },
  start(folder, port) {
    const router = `$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
      if (!str_starts_with($path, '/images/')) return false;
      $file = '${folder}/state' . $path;
      if (!is_file($file)) return http_response_code(404);
      header('Content-Type: ' . mime_content_type($file)); readfile($file);`;
    return servePhp(ROOT, folder, port, router, { MW_CONFIG_FILE: join(folder, 'LocalSettings.php') });
  },
  async script(visitor, { photo, graphic, chunked }) {
    const login = '/index.php?title=Special:UserLogin';
    const wanted = find(await visitor.get(login), /name="wpLoginToken"[^>]*?value="([^"]+)"/);
    await visitor.post(
      login,
      `wpName=Admin&wpPassword=correct horse&authAction=login&wpLoginToken=${wanted}`,
    );
    const edit = find(
      await visitor.get('/index.php/Special:Upload'),
      /value="([^"]+)"[^>]*name="wpEditToken"/,
    );
    const form = `wpDestFile=Form.jpg&wpUploadDescription=A photo&wpUpload=Upload file&wpEditToken=${edit}`;
    await visitor.post('/index.php/Special:Upload', form, { wpUploadFile: ['Form.jpg', photo] });
    await visitor.getEach(await visitor.get('/index.php/File:Form.jpg'), /\/images\/[^"\s]+\.jpg/g);
    const token = `${find(await visitor.get('/api.php?action=query&meta=tokens&format=json'), /"csrftoken":"(\w+)/)}+\\`;
    const api = (fields: string, files = {}) =>
      visitor.post('/api.php', `format=json&token=${token}&${fields}`, files);
    await api('action=upload&filename=Api.png', { file: ['Api.png', graphic] });
    await visitor.get(
      '/api.php?action=query&prop=imageinfo&iiprop=size|mime&format=json&titles=File:Api.png',
    );
    // In chunks, as the upload wizard does: they must arrive byte for byte.
    const half = chunked.length >> 1;
    const stash = `action=upload&stash=1&filename=Chunks.jpg&filesize=${chunked.length}`;
    const first = await api(`${stash}&offset=0`, { chunk: ['blob', chunked.subarray(0, half)] });
    const more = `${stash}&offset=${half}&filekey=${find(first, /"filekey":"([^"]+)"/)}`;
    const stashed = find(await api(more, { chunk: ['blob', chunked.subarray(half)] }), /"filekey":"([^"]+)"/);
    await api(`action=upload&filename=Chunks.jpg&filekey=${stashed}`);
    await api(
      'action=edit&title=Photos&text=[[File:Form.jpg|thumb]] [[File:Api.png|300px]] [[File:Chunks.jpg]]',
    );
    await visitor.getEach(await visitor.get('/index.php/Photos'), /\/images\/[^"\s]+\.(jpg|png)/g);
    await api('action=delete&title=File:Form.jpg');
    await visitor.get('/images/c/ce/Form.jpg');
  },
  smaller: ['/index.php/Special:Upload', '/api.php'],
  untouched: /\/Chunks\.jpg$/,
  varying: [
    // Tokens, sessions, requests, and keys of the stash.
    /[0-9a-f]{32,40}(?=\+)|(?<=_session=)\w+|\b[0-9a-f]{24}\b|[0-9a-z.]+\.1\.jpg|(?<=chunkedupload )\w+/g,
    // Times, in words and digits, and durations.
    /(\d\d:\d\d, )?\d+ \w+ \d{4}(, at \d\d:\d\d)?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|\b20\d{12}\b/g,
    /(?<="wgBackendResponseTime":|"(cpu|wall)time":"|time usage: |\d% +)[\d.]+/g,
    // Lengths, and what else describes an encode: its digest, its palette, and the comment that marks it.
    /(?<=file size: |"size":|nowrap;">\()[\d.,]+( [KM]?B| bytes)?|(?<="sha1":")\w+|truecolour-alpha|index-coloured/g,
    /(?<=<td>)Normal<\/td><\/tr>(\n?<tr [^>]*><th>JPEG file comment<\/th><td>ICS1 [^<]*<\/td><\/tr>)?/g,
  ],
};
