import { countText } from './format';

export interface DraggedFiles {
  /** 0 where the browser does not tell. */
  readonly count: number;
  /** Of them, files whose type is neither JPG nor PNG. */
  readonly others: number;
}

/** What dropping the files will do. */
export function dropWords({ count, others }: DraggedFiles): string {
  if (count > 0 && others === count) return 'Only JPG and PNG images can be compressed';
  if (count === 0) return 'Drop to compress';
  const rest = others > 0 ? `; ${others} ${others === 1 ? 'is' : 'are'} neither JPG nor PNG` : '';
  return `Drop to compress ${countText(count - others, 'image')}${rest}`;
}
