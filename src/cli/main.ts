#!/usr/bin/env node
/** `ics` of the server's package and of a checkout: all commands. */
import type { Command } from 'commander';
import { addAccountCommands } from './account-commands';
import { examples } from './help';
import { port } from './options';
import { serveUnread } from './outcome';
import { runCommandLine } from './program';

function addServeCommand(program: Command) {
  program
    .command('serve')
    .description('start the service; its settings are environment variables')
    .option(
      '-p, --port <port>',
      'port to listen on, instead of PORT (default: 3000); 0 picks a free one',
      port,
    )
    .addHelpText(
      'after',
      examples(
        'ics serve --port 8080',
        'HOST=127.0.0.1 SIGNUP=closed ics serve',
        'DATABASE_URL=postgres://ics@db.example.com/ics REDIS_URL=redis://cache.example.com ics serve',
      ),
    )
    .action(async (options: { port?: number }) => {
      if (options.port !== undefined) process.env['PORT'] = String(options.port);
      serveUnread();
      await import('../main.js');
    });
}

runCommandLine('Compress images, run the service, and manage its accounts.', [
  addServeCommand,
  addAccountCommands,
]);
