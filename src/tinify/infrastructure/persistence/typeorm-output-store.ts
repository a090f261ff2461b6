/**
 * Outputs as rows of the account database, with their bytes in PostgreSQL, which all replicas share, or in files beside
 * SQLite. The size is bounded by deleting the oldest, first those of an account that has more than its share.
 */
import type { DataSource } from 'typeorm';
import { findDatabaseFile } from '../../../accounts/infrastructure/persistence/database';
import { reportOutage, type TaskRunner } from '../../../accounts/infrastructure/persistence/database-tasks';
import { MEBIBYTE } from '../../../contract/units';
import { OUTPUT_MS, OutputStore, type Output, type OutputPart } from '../../application/outputs.service';
import { OutputFiles } from './output-files';

/** An account has a share, so that it cannot displace the outputs of all others. */
const BOUNDS = { totalBytes: 1024 * MEBIBYTE, accountBytes: 300 * MEBIBYTE };
/** Counted for each output besides its bytes; it bounds the number of small outputs. */
const OVERHEAD_BYTES = 64 * 1024;

/** PostgreSQL returns integers of 64 bits as text. */
type Row = Omit<Output, 'expiresAt'> & { readonly expiresAt: number | string };

const EMPTY = Buffer.alloc(0);

export class TypeOrmOutputStore extends OutputStore {
  private readonly files: OutputFiles | undefined;
  private nextSweep = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly run: TaskRunner,
    private readonly bounds = BOUNDS,
  ) {
    super();
    const database = findDatabaseFile(dataSource.options);
    this.files = database ? new OutputFiles(`${database.replace(/\.\w+$/, '')}-outputs`) : undefined;
  }

  async add(output: Output, upload: Uint8Array, result: Uint8Array | undefined): Promise<void> {
    const { digest, accountId, expiresAt, format, width, height, uploadBytes, resultBytes } = output;
    const heldBytes = upload.length + (result?.length ?? 0) + OVERHEAD_BYTES;
    const { files } = this;
    if (files) await files.add(digest, upload, result).catch(reportOutage);
    const [uploadColumn, resultColumn] = files
      ? [EMPTY, null]
      : [toBuffer(upload), result ? toBuffer(result) : null];
    await this.run(
      () => this.dataSource.sql`
        INSERT INTO tinify_outputs (digest, account_id, expires_at, format, width, height,
          upload_bytes, result_bytes, held_bytes, upload, result)
        VALUES (${digest}, ${accountId}, ${expiresAt.getTime()}, ${format}, ${width}, ${height},
          ${uploadBytes}, ${resultBytes}, ${heldBytes}, ${uploadColumn}, ${resultColumn})`,
    ).catch(async (error: unknown) => {
      await files?.remove(digest);
      throw error;
    });
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
    const bytes = this.files
      ? await this.files.read(digest, part, from, length).catch(reportOutage)
      : await this.readColumn(digest, part, from, length);
    if (!bytes || bytes.length < length) throw new Error('The output has been deleted or cut off');
    return bytes;
  }

  /** PostgreSQL reads only the pages of the piece, because the columns are not compressed. */
  private async readColumn(digest: string, part: OutputPart, from: number, length: number) {
    const rows: { bytes: Uint8Array }[] = await this.run(() =>
      part === 'upload'
        ? this.dataSource.sql`
            SELECT substr(upload, ${from + 1}, ${length}) AS bytes FROM tinify_outputs WHERE digest = ${digest}`
        : this.dataSource.sql`
            SELECT substr(coalesce(result, upload), ${from + 1}, ${length}) AS bytes
            FROM tinify_outputs WHERE digest = ${digest}`,
    );
    return rows.at(0)?.bytes;
  }

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
    for (const { digest } of old) {
      await this.run(() => this.dataSource.sql`DELETE FROM tinify_outputs WHERE digest = ${digest}`);
      await this.files?.remove(digest);
    }
    if (now.getTime() < this.nextSweep) return;
    this.nextSweep = now.getTime() + OUTPUT_MS;
    await this.files?.removeOlderThan(new Date(now.getTime() - OUTPUT_MS));
  }
}

function toBuffer({ buffer, byteOffset, length }: Uint8Array) {
  return Buffer.from(buffer, byteOffset, length);
}
