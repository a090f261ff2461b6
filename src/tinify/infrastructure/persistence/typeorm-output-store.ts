/**
 * Outputs in the database of DATABASE_URL; with SQLite, in a file of their own, so that neither blocks the other.
 *
 * Bytes are stored in pieces. SQLite blocks the event loop for one piece at a time, and PostgreSQL's driver, which receives
 * bytes as text of twice their length, never holds more than one.
 */
import { In, LessThan, MoreThan, type DataSource, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { runnerOf, type TaskRunner } from '../../../accounts/infrastructure/persistence/database-tasks';
import { OutputStore, OutputStoreUnavailable } from '../../application/output-store.port';
import type { Output, OutputPart } from '../../domain/output';
import { OutputEntity } from './output-database';

const PIECE_BYTES = 256 * 1024;
/** Counted for each output besides its bytes: rows and indices. It also bounds the number of small outputs. */
const OVERHEAD_BYTES = 16 * 1024;
/** Clients fetch a result within seconds; an output of the last minute is never deleted to make room. */
const PROTECTED_MS = 60_000;
/** Key of the advisory lock; any number that nothing else in the database uses. */
const ROOM_LOCK = 7_204_114;

export interface StoreBounds {
  readonly totalBytes: number;
  readonly accountBytes: number;
}

export class TypeOrmOutputStore extends OutputStore {
  private readonly run: TaskRunner;

  constructor(
    private readonly dataSource: DataSource,
    private readonly bounds: StoreBounds,
  ) {
    super();
    this.run = runnerOf(dataSource, OutputStoreUnavailable);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }

  async add(output: Output, parts: Readonly<Partial<Record<OutputPart, Uint8Array>>>): Promise<boolean> {
    const { digest } = output;
    try {
      await this.run(() => this.dataSource.transaction((manager) => this.reserve(manager, output)));
    } catch (error) {
      if (error instanceof NoRoom) return false;
      throw error;
    }
    try {
      for (const [part, bytes] of Object.entries(parts)) await this.write(digest, part, bytes);
      const { affected } = await this.run(() =>
        this.dataSource.manager.update(OutputEntity, { digest }, { isComplete: true }),
      );
      if (affected !== 1) throw new OutputStoreUnavailable();
      return true;
    } catch (error) {
      await this.run(() => this.dataSource.transaction((manager) => remove(manager, [digest]))).catch(
        () => undefined,
      );
      throw error;
    }
  }

  find(digest: string, now: Date): Promise<Output | undefined> {
    return this.run(async () => {
      const row = await this.dataSource.manager.findOneBy(OutputEntity, {
        digest,
        isComplete: true,
        expiresAt: MoreThan(now),
      });
      return row ?? undefined;
    });
  }

  async *read({ digest, uploadBytes, resultBytes }: Output, part: OutputPart): AsyncGenerator<Uint8Array> {
    const length = part === 'upload' ? uploadBytes : resultBytes;
    for (let position = 0; position * PIECE_BYTES < length; position++) {
      const pieces = await this.run(
        () =>
          this.dataSource.sql<{ bytes: Uint8Array }[]>`
          SELECT bytes FROM tinify_pieces
          WHERE digest = ${digest} AND part = ${part} AND position = ${position}`,
      );
      const piece = pieces.at(0);
      if (!piece) throw new OutputStoreUnavailable();
      yield piece.bytes;
    }
  }

  purge(expiredBefore: Date, max: number): Promise<number> {
    return this.run(() =>
      this.dataSource.transaction(async (manager) => {
        const expired = await manager.find(OutputEntity, {
          select: { digest: true },
          where: { expiresAt: LessThan(expiredBefore) },
          order: { expiresAt: 'ASC' },
          take: max,
        });
        return remove(
          manager,
          expired.map(({ digest }) => digest),
        );
      }),
    );
  }

  /**
   * Inserts the row of the output. Replicas wait for each other, so that their total stays within the bounds.
   * @throws NoRoom
   */
  private async reserve(manager: EntityManager, output: Output): Promise<void> {
    if (this.dataSource.options.type === 'postgres')
      await manager.query('SELECT pg_advisory_xact_lock($1)', [ROOM_LOCK]);
    const { accountId, uploadBytes, resultBytes } = output;
    const heldBytes = uploadBytes + resultBytes + OVERHEAD_BYTES;
    const { totalBytes, accountBytes } = this.bounds;
    const now = Date.now();
    await makeRoom(manager, { accountId }, accountBytes - heldBytes, now);
    await makeRoom(manager, {}, totalBytes - heldBytes, now);
    const createdAt = new Date(now);
    await manager.insert(OutputEntity, { ...output, heldBytes, createdAt, isComplete: false });
  }

  private async write(digest: string, part: string, bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = Buffer.from(
        bytes.buffer,
        bytes.byteOffset + at,
        Math.min(PIECE_BYTES, bytes.length - at),
      );
      await this.run(
        () => this.dataSource.sql`
          INSERT INTO tinify_pieces (digest, part, position, bytes)
          VALUES (${digest}, ${part}, ${at / PIECE_BYTES}, ${piece})`,
      );
    }
  }
}

/** Only outputs of the last minute could make room; rolls the transaction back. */
class NoRoom extends Error {}

/**
 * Deletes the oldest of these outputs until they hold at most `maxBytes`.
 * @throws NoRoom
 */
async function makeRoom(
  manager: EntityManager,
  whose: FindOptionsWhere<OutputEntity>,
  maxBytes: number,
  now: number,
): Promise<void> {
  let excess = ((await manager.sum(OutputEntity, 'heldBytes', whose)) ?? 0) - maxBytes;
  const doomed: string[] = [];
  while (excess > 0) {
    const old = await manager.find(OutputEntity, {
      select: { digest: true, heldBytes: true },
      where: { ...whose, createdAt: LessThan(new Date(now - PROTECTED_MS)) },
      order: { createdAt: 'ASC', digest: 'ASC' },
      skip: doomed.length,
      take: 100,
    });
    if (old.length === 0) throw new NoRoom();
    for (const { digest, heldBytes } of old) {
      if (excess <= 0) break;
      doomed.push(digest);
      excess -= heldBytes;
    }
  }
  await remove(manager, doomed);
}

async function remove(manager: EntityManager, digests: readonly string[]): Promise<number> {
  if (digests.length === 0) return 0;
  const pieces = manager.createQueryBuilder().delete().from('tinify_pieces');
  await pieces.where('digest IN (:...digests)', { digests }).execute();
  const { affected } = await manager.delete(OutputEntity, { digest: In(digests) });
  return affected ?? 0;
}
