#!/usr/bin/env node
/** `ics` of the server's package and of a checkout: all commands. */
import { addAuditCommand } from './account-audit';
import { addAccountCommands } from './account-commands';
import { addCheckCommand } from './check/check-command';
import { addCodecCommand } from './codec/codec-command';
import { addCompareCommand } from './compare/compare-command';
import { addCompressCommand } from './compress/compress-command';
import { addCompletionCommand } from './completion';
import { addKeyCommands } from './key-commands';
import { runCommandLine } from './program';
import { addServeCommand } from './serve-command';
import { addSetCommand } from './set/set-command';

runCommandLine('Compress images, run the service, and manage its accounts.', [
  addCompressCommand,
  addSetCommand,
  addCheckCommand,
  addCodecCommand,
  addCompareCommand,
  addServeCommand,
  addAccountCommands,
  addKeyCommands,
  addAuditCommand,
  addCompletionCommand,
]);
