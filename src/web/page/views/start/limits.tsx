import { UPLOADS } from '../../../../contract/formats';
import { mebibytes } from '../../../../contract/units';
import { facts } from '../../api/facts';
import { apiKey } from '../../state/credentials';
import { countText } from '../../words/numbers';

/** What the service accepts, from its own settings. */
export function Limits() {
  const { maxUploadBytes, maxDimensionPx, imagesPerMinute, trialImages } = facts;
  const rate = imagesPerMinute > 0 ? `${imagesPerMinute} a minute` : 'any number';
  const isVisitor = apiKey.value === undefined && trialImages > 0;
  return (
    <p>
      {UPLOADS.and}, up to {mebibytes(maxUploadBytes)} MiB a file
      {isVisitor
        ? `; ${countText(trialImages, 'image')} without an account, then ${rate}`
        : imagesPerMinute > 0 && `, ${imagesPerMinute} images a minute`}
      . Larger images are scaled down to {maxDimensionPx} px.
    </p>
  );
}
