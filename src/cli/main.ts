#!/usr/bin/env node
/**
 * The command line: the same accounts and the same recipe as the service, and the service itself.
 * Exit codes: 0 all done; 1 an image or an account could not be handled, or a check has
 * found something; 2 wrong usage or settings; 130 interrupted.
 */
import { Command } from 'commander';
import { VERSION } from '../environment/version';
import { SettingsFault } from '../environment/read-variables';
import { addAccountCommands } from './account-commands';
import { addCheckCommand } from './check/check-command';
import { addCompressCommand } from './compress/compress-command';
import { examples } from './examples';
import { addKeyCommands } from './key-commands';
import { printable } from './terminal/printable';
import { port } from './values';
import { CliFailure, EXIT_FAILURE, EXIT_USAGE, UsageFault } from './exit';

async function main(): Promise<void> {
  const program = new Command('ics')
    .description('Compress images, run the service, and look after its accounts.')
    .configureOutput({ outputError: (text, write) => write(text.split('\n').map(printable).join('\n')) })
    .version(VERSION, '-V, --version', 'print the version')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE))
    .showHelpAfterError('Add --help to see how it is used.')
    .addHelpText(
      'after',
      '\nIn a checkout, write "npm run -s cli --" instead of "ics" in all examples.' +
        '\nExit codes: 0 all done, 1 something failed, 2 wrong usage or settings, 130 interrupted.',
    );
  addCompressCommand(program);
  addCheckCommand(program);
  addServeCommand(program);
  addAccountCommands(program);
  addKeyCommands(program);
  await program.parseAsync();
}

function addServeCommand(program: Command): void {
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

// Whoever read our output has gone: there is nobody left to work for.
process.stdout.on('error', () => process.exit(EXIT_FAILURE));

main().catch((error: unknown) => {
  const isExpected = error instanceof CliFailure || error instanceof SettingsFault;
  process.stderr.write(
    `${isExpected ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(error instanceof SettingsFault || error instanceof UsageFault ? EXIT_USAGE : EXIT_FAILURE);
});
