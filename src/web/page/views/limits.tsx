import { mebibytes } from '../../../contract/units';
import { facts } from '../api/facts';

/** What the service takes, from its own settings. */
export function Limits() {
  const { maxUploadBytes, maxDimensionPx, imagesPerMinute } = facts;
  return (
    <p>
      JPG and PNG, up to {mebibytes(maxUploadBytes)} MiB a file
      {imagesPerMinute > 0 && `, ${imagesPerMinute} images a minute`}. Images over {maxDimensionPx} px are
      scaled down to that.
    </p>
  );
}
