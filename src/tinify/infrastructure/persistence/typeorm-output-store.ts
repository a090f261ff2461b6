/**
 * Outputs as rows of the account database, shared by all replicas. Its size is bounded by deleting the
 * oldest, first those of an account that has more than its share.
 */
import type { DataSource } from 'typeorm';
import type { TaskRunner } from '../../../accounts/infrastructure/persistence/database-tasks';
import { MEBIBYTE } from '../../../contract/units';
import { OutputStore, type Output, type OutputPart } from '../../application/outputs.service';

/** An account has a share, so that it cannot displace the outputs of all others. */
const BOUNDS = { totalBytes: 1024 * MEBIBYTE, accountBytes: 300 * MEBIBYTE };
/** Counted for each output besides its bytes; it bounds the number of small outputs. */
const OVERHEAD_BYTES = 64 * 1024;

/** PostgreSQL returns integers of 64 bits as text. */
type Row = Omit<Output, 'expiresAt'> & { readonly expiresAt: number | string };

export class TypeOrmOutputStore extends OutputStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly run: TaskRunner,
    private readonly bounds = BOUNDS,
  ) {
    super();
  }

  async add(output: Output, upload: Uint8Array, result: Uint8Array | undefined): Promise<void> {
    const { digest, accountId, expiresAt, format, width, height, uploadBytes, resultBytes } = output;
    const heldBytes = upload.length + (result?.length ?? 0) + OVERHEAD_BYTES;
    await this.run(
      () => this.dataSource.sql`
        INSERT INTO tinify_outputs (digest, account_id, expires_at, format, width, height,
          upload_bytes, result_bytes, held_bytes, upload, result)
        VALUES (${digest}, ${accountId}, ${expiresAt.getTime()}, ${format}, ${width}, ${height},
          ${uploadBytes}, ${resultBytes}, ${heldBytes}, ${toBuffer(upload)}, ${result ? toBuffer(result) : null})`,
    );
  }

  async find(digest: string, now: Date): Promise<Output | undefined> {
    const rows: Row[] = await this.run(
      () => this.dataSource.sql`
        SELECT digest, account_id AS "accountId", expires_at AS "expiresAt", format, width, height,
          upload_bytes AS "uploadBytes", result_bytes AS "resultBytes"
        FROM tinify_outputs WHERE digest = ${digest} AND expires_at > ${now.getTime()}`,
    );
    const row = rows.at(0);
    return row && { ...row, expiresAt: new Date(Number(row.expiresAt)) };
  }

  async read(digest: string, part: OutputPart, from: number, length: number): Promise<Uint8Array> {
    const rows: { bytes: Uint8Array }[] = await this.run(() =>
      part === 'upload'
        ? this.dataSource.sql`
            SELECT substr(upload, ${from + 1}, ${length}) AS bytes FROM tinify_outputs WHERE digest = ${digest}`
        : this.dataSource.sql`
            SELECT substr(coalesce(result, upload), ${from + 1}, ${length}) AS bytes
            FROM tinify_outputs WHERE digest = ${digest}`,
    );
    const row = rows.at(0);
    if (!row) throw new Error('The output has been deleted');
    return row.bytes;
  }

  /** Deletes one at a time: SQLite blocks the event loop for each. */
  async purge(now: Date): Promise<void> {
    const { totalBytes, accountBytes } = this.bounds;
    const old: Pick<Output, 'digest'>[] = await this.run(
      () => this.dataSource.sql`
        SELECT digest FROM (
          SELECT digest, expires_at,
            SUM(held_bytes) OVER (PARTITION BY account_id ORDER BY expires_at DESC, digest) AS of_account,
            SUM(held_bytes) OVER (ORDER BY expires_at DESC, digest) AS of_all,
            held_bytes
          FROM tinify_outputs) AS newest_first
        WHERE expires_at <= ${now.getTime()}
          OR of_account - held_bytes >= ${accountBytes} OR of_all - held_bytes >= ${totalBytes}`,
    );
    for (const { digest } of old)
      await this.run(() => this.dataSource.sql`DELETE FROM tinify_outputs WHERE digest = ${digest}`);
  }
}

function toBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
