/**
 * Checks TypeScript programs: `node check-types.mjs [[ARGUMENT of tsc ...] ...]`, with the programs as JSON. Prints for each a line of JSON:
 * the number of our declarations that it reads, and what is wrong in our declarations and in its own files, with their names. The
 * declarations of others would take 3 s more each.
 */
import { basename, join, sep } from 'node:path';
import ts from 'typescript';

const OURS = join('image-compression-service', 'dist') + sep;
const isOurs = ({ fileName }) => !fileName.includes('node_modules') || fileName.includes(OURS);

/** Most of a check is reading the types of Node.js and of the language, so all programs share them. */
const sources = new Map();

function compile(command) {
  const { options, fileNames, errors } = ts.parseCommandLine(command);
  // The default of TypeScript 7, where a project that names no types gets none.
  options.types ??= [];
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (name, language, ...rest) => {
    const key = JSON.stringify([name, language]);
    if (!sources.has(key)) sources.set(key, read(name, language, ...rest));
    return sources.get(key);
  };
  const program = ts.createProgram(fileNames, options, host);
  const ours = program.getSourceFiles().filter(isOurs);
  const found = [
    ...errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ours.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ];
  return {
    declarations: ours.filter(({ fileName }) => fileName.includes('dist')).length,
    faults: found.map((fault) => ({
      file: fault.file && basename(fault.file.fileName),
      text: ts.formatDiagnostic(fault, host),
    })),
  };
}

for (const command of JSON.parse(process.argv[2])) console.log(JSON.stringify(compile(command)));
