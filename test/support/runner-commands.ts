/** What a runner of GitHub Actions takes from the output of a step for a command, by the rules of its sources. */

export interface RunnerCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

/** Returns the commands in the output. Names are not compared with those that a runner knows, which become more. */
export function runnerCommands(output: string): RunnerCommand[] {
  return output.split(/\r\n|\r|\n/).flatMap((line) => inNewForm(line.trimStart()) ?? inOldForm(line) ?? []);
}

/** `::name key=value,key=value::message` at the start of a line. */
function inNewForm(line: string): RunnerCommand | undefined {
  const [found, head, message] = /^::(.*?)::(.*)$/.exec(line) ?? [''];
  return found === '' ? undefined : { ...parsed(head, ','), message: decoded(message) };
}

/** `##[name key=value;key=value]message` anywhere in a line. Azure Pipelines writes `##vso[`, TeamCity `##teamcity[`. */
function inOldForm(line: string): RunnerCommand | undefined {
  const [found, head, message] = /##\w*\[(.*?)\](.*)$/.exec(line) ?? [''];
  return found === '' ? undefined : { ...parsed(head, ';'), message: decoded(message) };
}

function parsed(head: string, separator: string): Omit<RunnerCommand, 'message'> {
  const [name] = head.split(' ', 1);
  const pairs = head.slice(name.length + 1).split(separator);
  const properties = pairs
    .filter(Boolean)
    .map((pair) => [pair.split('=', 1)[0], pair.replace(/^[^=]*=/, '')]);
  return {
    name,
    properties: Object.fromEntries(
      properties.map(([key, value]) => [key, decoded(value)]),
    ) as object as Record<string, string>,
  };
}

function decoded(text: string) {
  return text
    .replace(/%0D/g, '\r')
    .replace(/%0A/g, '\n')
    .replace(/%3A/g, ':')
    .replace(/%2C/g, ',')
    .replace(/%25/g, '%');
}
