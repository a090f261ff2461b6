/** `serve`: the service itself. */
import type { Command } from 'commander';
import { examples } from './help';
import { port } from './options';

export function addServeCommand(program: Command): void {
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
    .action(async (options: { port?: string }) => {
      if (options.port !== undefined) process.env['PORT'] = options.port;
      await import('../main.js');
    });
}
