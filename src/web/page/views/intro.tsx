import sampleUrl from '../../../../examples/sample.jpg';
import thumbnailUrl from '../example-thumbnail.jpg';
import { facts } from '../api/facts';
import { addExample } from '../state/example';
import { options } from '../state/options';
import { Icon } from './icons';

/** What the page is for; folds away once there are images. */
export function Intro() {
  return (
    <div class="intro">
      <h1>Smaller images that look the same</h1>
      <p>For JPG and PNG images. Photos typically shrink by half, and nobody sees a difference.</p>
    </div>
  );
}

/** An image to try, for visitors without one at hand. */
export function Example() {
  return (
    <p class="example">
      <button type="button" class="example-button" onClick={() => void addExample(sampleUrl)}>
        <img src={thumbnailUrl} alt="" width="48" height="36" />
        <span>
          No image at hand? <strong>Try the example</strong>
        </span>
      </button>
    </p>
  );
}

/** What to expect. */
export function Expectations() {
  const keptMetadata = options.value.metadata ?? facts.keptMetadata;
  return (
    <ul class="expectations">
      <li>
        <Icon name="eye" size={24} />
        <h2>Every result is measured</h2>
        <p>It is compared with your file before you get it. Compare both yourself, down to single pixels.</p>
      </li>
      <li>
        <Icon name="shrink" size={24} />
        <h2>Never larger</h2>
        <p>If a file cannot be made smaller, you get it back unchanged.</p>
      </li>
      <li>
        <Icon name="lock" size={24} />
        <h2>Private</h2>
        <p>
          Images go to this service only and are not kept.
          {keptMetadata !== 'all' && ' Location and camera data are removed.'}
        </p>
      </li>
    </ul>
  );
}
