import { useEffect } from 'preact/hooks';
import { mebibytes } from '../../../../contract/units';
import { facts, formats } from '../../api/facts';
import { account } from '../../state/account';
import { apiKey, hasTrials } from '../../state/credentials';
import { isLossless, options } from '../../state/options';
import { addSample, loadProof, proof, SAMPLES, STILL_LIFE } from '../../state/samples';
import { comparedId } from '../../state/compared';
import { jobs } from '../../state/jobs';
import { countText, savingPercent } from '../../words/numbers';
import { looksWords } from '../../words/results';
import { Picture } from '../compare/picture';
import { focusList } from '../parts/focus';

export function Intro() {
  return (
    <div class="intro">
      <h1>Smaller images that look the same</h1>
      <p>
        {isLossless.value
          ? 'No pixel of them changes.'
          : 'JPG photos become about half as large, PNG graphics even smaller.'}
      </p>
    </div>
  );
}

/** Shows what the service does, on a sample, before anything is uploaded. */
export function Proof() {
  useEffect(() => void loadProof(), []);
  const image = proof.value;
  const open = async () => {
    await addSample(STILL_LIFE);
    comparedId.value = jobs.peek().at(-1)?.id;
  };
  const { originalSize = 0, bytesSaved = 0 } = image?.result.report ?? {};
  return (
    <section class="proof stack" aria-label="Before and after">
      {image ? (
        <Picture image={image} onOpen={() => void open()} />
      ) : (
        <img class="picture-frame" src={STILL_LIFE.url} alt="" />
      )}
      <p class="hint">
        <strong>Every result is measured, not guessed.</strong>{' '}
        {image &&
          `This picture is ${savingPercent(originalSize, bytesSaved)}% smaller and ${looksWords(image.result.report, facts.qualities).toLowerCase()}. Drag the line to compare.`}
      </p>
    </section>
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
        <h2>Never larger</h2>
        <p class="hint">If a file cannot be made smaller, you get your own image back.</p>
      </li>
      <li>
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
  const ownLimit = apiKey.value === undefined ? imagesPerMinute : account.value?.imagesPerMinute;
  return (
    <p>
      {formats.uploads.and}, up to {mebibytes(maxUploadBytes)} MiB a file
      {isVisitor
        ? `; ${countText(trialImages, 'free image')}, then ${rate} with an account`
        : Boolean(ownLimit) && `, ${ownLimit} images a minute`}
      . Larger images are scaled down to {maxDimensionPx} px.
    </p>
  );
}
