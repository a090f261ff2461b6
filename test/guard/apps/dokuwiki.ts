/** DokuWiki: its media manager with and without JavaScript, and a page that shows the images. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { find, run, runPhp, servePhp, type App } from './app';

const ROOT = '/usr/share/dokuwiki';

export const dokuwiki: App = {
  needs: [join(ROOT, 'doku.php')],
  install(folder) {
    mkdirSync(join(folder, 'snapshot'));
    run('cp', '-a', '/var/lib/dokuwiki/data', join(folder, 'snapshot'));
    const hash = runPhp(`echo password_hash('correct horse', PASSWORD_BCRYPT);`);
    writeFileSync(join(folder, 'users.auth.php'), `admin:${hash}:Admin:admin@photos.example:admin,user\n`);
    writeFileSync(join(folder, 'acl.auth.php'), '*\t@ALL\t1\n*\t@user\t16\n');
    const settings = `$conf['useacl'] = 1; $conf['superuser'] = '@admin';`;
    writeFileSync(join(folder, 'local.php'), `<?php $conf['savedir'] = '${folder}/state/data'; ${settings}`);
  },
  start: (folder, port) => servePhp(ROOT, folder, port, `define('DOKU_CONF', '${folder}/'); return false;`),
  async script(visitor, { photo, graphic }) {
    const start = '/doku.php?id=start';
    const guest = find(await visitor.get(`${start}&do=login`), /name="sectok" value="(\w*)"/);
    await visitor.post(`${start}&do=login`, `u=admin&p=correct horse&sectok=${guest}`);
    const sectok = find(await visitor.get(`${start}&do=media&ns=`), /name="sectok" value="(\w+)"/);
    // The media manager sends the bytes; where a browser cannot, it sends a form.
    const query = `call=mediaupload&ns=photos&ow=false&sectok=${sectok}&qqfile=bytes.jpg`;
    const named = { 'content-type': 'application/octet-stream', 'x-file-name': 'bytes.jpg' };
    await visitor.ask('POST', `/lib/exe/ajax.php?${query}`, named, photo);
    const form = `call=mediaupload&ns=photos&sectok=${sectok}&mediaid=form.png`;
    await visitor.post('/lib/exe/ajax.php', form, { qqfile: ['form.png', graphic] });
    const simple = `ns=photos&sectok=${sectok}&mediaid=simple.jpg`;
    await visitor.post('/lib/exe/mediamanager.php', simple, { upload: ['photo.jpg', photo] });
    await visitor.get(`${start}&do=media&ns=photos&image=photos:bytes.jpg&tab_details=view`);
    await visitor.get('/lib/exe/detail.php?id=start&media=photos:form.png');
    const edit = await visitor.get(`${start}&do=edit`);
    const [date, check] = [/name="date" value="(\w*)"/, /name="changecheck" value="(\w*)"/].map((one) =>
      find(edit, one),
    );
    const text =
      '{{photos:bytes.jpg}} {{photos:bytes.jpg?300}} {{photos:form.png?200x100}} {{photos:simple.jpg}}';
    await visitor.post(
      start,
      `do[save]=1&sectok=${sectok}&date=${date}&changecheck=${check}&wikitext=${text}`,
    );
    await visitor.getEach(await visitor.get(start), /(?<=src=")\/lib\/exe\/fetch.php[^"]+/g);
    await visitor.get('/lib/exe/fetch.php?media=photos:form.png');
    await visitor.get(`/lib/exe/mediamanager.php?ns=photos&delete=photos%3Abytes.jpg&sectok=${sectok}`);
    await visitor.get('/lib/exe/fetch.php?media=photos:bytes.jpg');
  },
  smaller: ['/lib/exe/ajax.php', '/lib/exe/ajax.php', '/lib/exe/mediamanager.php'],
  varying: [
    // Tokens and the session; the token of a thumbnail is made from the time of the file.
    /\b[0-9a-f]{32}\b|(?<=DokuWiki=|DW\w{32}=|tok=)[^;&"]+|\d{4}\\?\/\d\d\\?\/\d\d \d\d:\d\d/g,
    /[\d.]+(\xc2\xa0| )?K?B\b/g,
  ],
};
