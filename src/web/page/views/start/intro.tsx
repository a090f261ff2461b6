import { UPLOADS } from '../../../../contract/formats';
import { mebibytes } from '../../../../contract/units';
import { facts } from '../../api/facts';
import { apiKey, hasTrials } from '../../state/credentials';
import { options } from '../../state/options';
import { addSample, SAMPLES } from '../../state/samples';
import { countText } from '../../words/numbers';
import { focusList } from '../parts/focus';
import { Icon } from '../parts/icons';

export function Intro() {
  return (
    <div class="intro">
      <h1>Smaller images that look the same</h1>
      <p>
        For {UPLOADS.and} images. Photos become a quarter to a half smaller, screenshots even more, with no
        visible difference.
      </p>
    </div>
  );
}

export function Samples() {
  return (
    <section class="samples stack" aria-labelledby="samples-title">
      <h2 class="less" id="samples-title">
        No image at hand? Try one of these.
        {hasTrials && !apiKey.value && ' They use none of your free images.'}
      </h2>
      <div class="sample-buttons row">
        {SAMPLES.map((sample) => (
          <button key={sample.title} class="sample" onClick={() => void addSample(sample).then(focusList)}>
            <img src={sample.thumbnailUrl} alt="" width="144" height="96" />
            {sample.title}
          </button>
        ))}
      </div>
    </section>
  );
}

export function Expectations() {
  const keptMetadata = options.value.metadata ?? facts.keptMetadata;
  return (
    <ul class="expectations">
      <li>
        <Icon name="eye" size={24} />
        <h2>Every result is measured</h2>
        <p class="hint">
          The service compares it with your file before you get it. You can compare both yourself, down to
          single pixels.
        </p>
      </li>
      <li>
        <Icon name="shrink" size={24} />
        <h2>Never larger</h2>
        <p class="hint">If a file cannot be made smaller, you get it back unchanged.</p>
      </li>
      <li>
        <Icon name="lock" size={24} />
        <h2>Private</h2>
        <p class="hint">
          Your images are sent only to this service and are not kept.
          {keptMetadata !== 'all' && ' Location and camera data are removed.'}
        </p>
      </li>
    </ul>
  );
}

export function Limits() {
  const { maxUploadBytes, maxDimensionPx, imagesPerMinute, trialImages } = facts;
  const rate = imagesPerMinute > 0 ? `${imagesPerMinute} a minute` : 'any number';
  const isVisitor = apiKey.value === undefined && trialImages > 0;
  return (
    <p>
      {UPLOADS.and}, up to {mebibytes(maxUploadBytes)} MiB a file
      {isVisitor
        ? `; ${countText(trialImages, 'free image')}, then ${rate} with an account`
        : imagesPerMinute > 0 && `, ${imagesPerMinute} images a minute`}
      . Larger images are scaled down to {maxDimensionPx} px.
    </p>
  );
}
