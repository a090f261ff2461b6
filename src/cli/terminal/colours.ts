/** Whether output is coloured: the options decide, then NO_COLOR and FORCE_COLOR, then the terminal. */
import { createColors } from 'picocolors';
import type { WriteStream } from 'node:tty';

export type Colours = ReturnType<typeof createColors>;

export interface ColourOption {
  /** --color or --no-color; absent if neither was given. */
  readonly color?: boolean;
}

export function coloursFor(stream: Partial<WriteStream>, { color }: ColourOption): Colours {
  return createColors(color ?? isWanted(stream, process.env));
}

function isWanted(stream: Partial<WriteStream>, env: NodeJS.ProcessEnv): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  // https://no-color.org: any value but the empty one.
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && TERM !== 'dumb';
}
