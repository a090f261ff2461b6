import { facts } from '../api/facts';

/** What the service takes, from its own settings. */
export function Limits() {
  const { maxUploadBytes, maxDimensionPx, imagesPerMinute } = facts;
  const mebibytes = Math.round((maxUploadBytes / 1024 / 1024) * 100) / 100;
  return (
    <>
      <p>
        Up to {mebibytes} MiB a file
        {imagesPerMinute > 0 && `, ${imagesPerMinute} images a minute`}. Images over {maxDimensionPx} px are
        scaled down to that. Position, camera and other metadata are removed.
      </p>
      <p>Images are sent to this service only, worked on in memory, and not kept.</p>
    </>
  );
}
