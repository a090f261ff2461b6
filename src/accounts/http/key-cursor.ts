/** The cursor of the `after` parameter: the position of a key, as its creation time in ms and its id. */
import type { KeyPosition } from '../application/account-repository.port';
import { isId } from '../domain/account';

export function cursorOf({ createdAt, id }: KeyPosition): string {
  return `${createdAt.getTime()}_${id}`;
}

/** Returns undefined if the text is not a cursor. */
export function positionOf(cursor: string): KeyPosition | undefined {
  // Fourteen digits reach the year 5138. SQLite compares dates as text, with a year of four digits.
  const [, milliseconds, id] = /^(\d{1,14})_(.+)$/.exec(cursor) ?? [];
  return id && isId(id) ? { createdAt: new Date(Number(milliseconds)), id } : undefined;
}
