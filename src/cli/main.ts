#!/usr/bin/env node
/** `ics` of the server's package and of a checkout: all commands. */
import { addAuditCommand } from './account-audit';
import { addAccountCommands } from './account-commands';
import { addCompletionCommand } from './completion';
import { addKeyCommands } from './key-commands';
import { runCommandLine } from './program';
import { addServeCommand } from './serve-command';

runCommandLine('Compress images, run the service, and manage its accounts.', [
  addServeCommand,
  addAccountCommands,
  addKeyCommands,
  addAuditCommand,
  addCompletionCommand,
]);
