import { facts } from '../api/facts';

/** What the service takes, from its own settings. */
export function Limits() {
  const { maxUploadBytes, maxDimensionPx, imagesPerMinute } = facts;
  const mebibytes = Math.round((maxUploadBytes / 1024 / 1024) * 100) / 100;
  return (
    <p>
      JPG and PNG, up to {mebibytes} MiB a file{imagesPerMinute > 0 && `, ${imagesPerMinute} images a minute`}
      . Images over {maxDimensionPx} px are scaled down to that.
    </p>
  );
}
