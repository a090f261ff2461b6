/** Parses the container file: what its last stage sets and starts. */
import { DockerfileParser, Keyword, type JSONInstruction } from 'dockerfile-ast';
import type { Cmd, Entrypoint, Env, Healthcheck } from 'dockerfile-ast';
import { config } from './tools';

export const containerfileText = config.text('container/Containerfile');

const instructions = DockerfileParser.parse(containerfileText).getInstructions();

/** Returns the last instruction of a kind, which is the effective one. */
function last(keyword: Keyword) {
  const found = instructions.findLast((instruction) => instruction.getKeyword() === (keyword as string));
  if (!found) throw new Error(`The container file has no ${keyword}`);
  return found;
}

const words = (instruction: JSONInstruction) =>
  instruction.getJSONStrings().map((word) => JSON.parse(word.getValue()) as string);

export const environment: Readonly<Record<string, string>> = Object.fromEntries(
  (last(Keyword.ENV) as Env)
    .getProperties()
    .map((property) => [property.getName(), property.getValue() ?? '']),
);
export const entrypoint = words(last(Keyword.ENTRYPOINT) as Entrypoint);
export const command = words(last(Keyword.CMD) as Cmd);
export const user = last(Keyword.USER).getArgumentsContent() ?? '';
export const volume = last(Keyword.VOLUME).getArgumentsContent() ?? '';
export const runs = instructions
  .filter((instruction) => instruction.getKeyword() === (Keyword.RUN as string))
  .map((instruction) => instruction.getArgumentsContent() ?? '');

export function healthCheck() {
  const check = last(Keyword.HEALTHCHECK) as Healthcheck;
  const nested = check.getSubcommand();
  if (!nested) throw new Error('The health check has no command');
  return JSON.parse(/\[.*\]/s.exec(check.getTextContent())?.[0] ?? '') as string[];
}
