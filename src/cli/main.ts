/**
 * The command line: the same accounts and the same recipe as the service, without the server.
 * Exit codes: 0 all done; 1 an image or an account could not be handled; 2 wrong usage or settings.
 */
import { Command } from 'commander';
import { readSettings, SettingsFault } from '../settings/settings';
import { addAccountCommands } from './account-commands';
import { addCompressCommand } from './compress-command';
import { addKeyCommands } from './key-commands';
import { CliFailure, EXIT_FAILURE, EXIT_USAGE } from './exit';

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const program = new Command('ics')
    .description('Compress images, and look after the accounts of the service.')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE))
    .showHelpAfterError();
  addAccountCommands(program, settings);
  addKeyCommands(program, settings);
  addCompressCommand(program, settings);
  await program.parseAsync();
}

main().catch((error: unknown) => {
  const isExpected = error instanceof CliFailure || error instanceof SettingsFault;
  process.stderr.write(
    `${isExpected ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(error instanceof SettingsFault ? EXIT_USAGE : EXIT_FAILURE);
});
