/** WordPress on MariaDB: the block editor's uploads, the media library's, and a post that shows one. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { find, run, runPhp, servePhp, type App } from './app';

const DATABASE = `ics_guard_${process.pid}`;
const client = ['-h', '127.0.0.1', '-u', 'root'];
const execute = (statement: string, ...more: string[]) => run('mariadb', ...client, '-e', statement, ...more);

const CONFIGURATION = `<?php
define('DB_NAME', '${DATABASE}'); define('DB_USER', 'root'); define('DB_PASSWORD', ''); define('DB_HOST', '127.0.0.1');
define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true); define('WP_DEFAULT_THEME', 'twentytwentythree');
$table_prefix = 'wp_'; define('ABSPATH', __DIR__ . '/'); require ABSPATH . 'wp-settings.php';`;

export const wordpress: App = {
  needs: ['/usr/share/wordpress/wp-load.php', '/usr/share/wordpress/wp-content/themes/twentytwentythree'],
  isReady: () => spawnSync('mariadb', [...client, '-e', 'SELECT 1']).status === 0,
  install(folder) {
    run('cp', '-aL', '/usr/share/wordpress', join(folder, 'site'));
    writeFileSync(join(folder, 'site', 'wp-config.php'), CONFIGURATION);
    execute(`CREATE DATABASE ${DATABASE}`);
    runPhp(`define('WP_INSTALLING', true); define('WP_SITEURL', 'http://photos.example');
      $_SERVER['HTTP_HOST'] = 'photos.example'; chdir('${folder}/site');
      require 'wp-load.php'; require 'wp-admin/includes/upgrade.php';
      wp_install('Photos', 'admin', 'admin@photos.example', true, '', 'correct horse');
      update_option('permalink_structure', '/%postname%/');`);
    mkdirSync(join(folder, 'snapshot', 'uploads'), { recursive: true });
    symlinkSync('../../state/uploads', join(folder, 'site', 'wp-content', 'uploads'));
    writeFileSync(join(folder, 'snapshot', 'database.sql'), run('mariadb-dump', ...client, DATABASE));
  },
  start(folder, port) {
    execute(`source ${folder}/state/database.sql`, DATABASE);
    const router = `$path = $_SERVER['DOCUMENT_ROOT'] . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
      if (is_file($path) || is_file($path . '/index.php')) return false;
      $_SERVER['SCRIPT_NAME'] = '/index.php'; require $_SERVER['DOCUMENT_ROOT'] . '/index.php';`;
    return servePhp(join(folder, 'site'), folder, port, router);
  },
  remove: () => void execute(`DROP DATABASE IF EXISTS ${DATABASE}`),
  async script(visitor, { photo, graphic }) {
    await visitor.get('/wp-login.php');
    await visitor.post('/wp-login.php', 'log=admin&pwd=correct horse&testcookie=1');
    const editor = await visitor.get('/wp-admin/post-new.php');
    const rest = { 'x-wp-nonce': find(editor, /createNonceMiddleware\( "(\w+)"/) };
    const media = '/wp-json/wp/v2/media';
    const uploaded = await visitor.post(media, '', { file: ['editor.jpg', photo] }, rest);
    const head = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="raw.png"' };
    await visitor.ask('POST', media, { ...rest, ...head }, graphic);
    const library = `name=library.jpg&action=upload-attachment&_wpnonce=${find(editor, /upload-attachment","_wpnonce":"(\w+)/)}`;
    await visitor.post('/wp-admin/async-upload.php', library, { 'async-upload': ['library.jpg', photo] });
    const nonce = find(await visitor.get('/wp-admin/media-new.php'), /name="_wpnonce" value="(\w+)"/);
    const form = `post_id=0&html-upload=Upload&_wpnonce=${nonce}`;
    await visitor.post('/wp-admin/media-new.php', form, { 'async-upload': ['form.png', graphic] });
    await visitor.get('/wp-admin/upload.php?mode=list&orderby=title&order=asc');
    const id = find(uploaded, /"id":(\d+)/);
    const address = find(uploaded, /"guid":\{"rendered":"([^"]+)"/).replaceAll('\\', '');
    const figure = `<figure class="wp-block-image"><img src="${address}" class="wp-image-${id}"/></figure>`;
    const content = `<!-- wp:image {"id":${id}} -->${figure}<!-- /wp:image -->`;
    const post = Buffer.from(JSON.stringify({ title: 'A photo', content, status: 'publish' }));
    await visitor.ask('POST', '/wp-json/wp/v2/posts', { ...rest, 'content-type': 'application/json' }, post);
    await visitor.getEach(await visitor.get('/a-photo/'), /http:[^"\s]+\/editor[^"\s]*\.jpg/g);
    for (const name of ['raw.png', 'raw-300x200.png', 'library.jpg', 'library-300x225.jpg', 'form.png'])
      await visitor.get(new URL(name, address).pathname);
    await visitor.ask('DELETE', `${media}/${id}?force=true`, rest);
    await visitor.get(new URL(address).pathname);
  },
  smaller: [
    '/wp-json/wp/v2/media',
    '/wp-json/wp/v2/media',
    '/wp-admin/async-upload.php',
    '/wp-admin/media-new.php',
  ],
  varying: [
    // Nonces, the session, one of several servers, and times.
    /\b[0-9a-f]{10}\b|admin%7C[^;]+|\d(?=\.gravatar\.com)/g,
    /\b\d{13}\b|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|\d+ (second|min)s? ago|(?<=>)\d{4}\/\d\d\/\d\d/g,
    /(?<="filesize(InBytes|HumanReadable)?":)("[^"]*"|\d+)/g,
  ],
};
