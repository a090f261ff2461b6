import { facts } from '../../api/facts';
import { trial } from '../../state/credentials';
import { openPanel, shownPanel } from '../../state/panel';
import { summary } from '../../state/summary';

/** Images of the trial that are left when an account is offered: soon enough to read, not before it matters. */
const FEW_LEFT = 3;

/** Shortly before the trial ends: what an account brings. */
export function TrialOffer() {
  const { isFinished, done } = summary.value;
  if (!trial.value || !isFinished || done === 0 || shownPanel.value) return null;
  const { imagesLeft, images } = trial.value;
  if (imagesLeft > FEW_LEFT) return null;
  const rate =
    facts.imagesPerMinute > 0 ? `${facts.imagesPerMinute} images a minute` : 'any number of images';
  return (
    <section class="offer row wraps" aria-labelledby="offer-title">
      <div>
        <h2 id="offer-title">Like the result?</h2>
        <p class="less">
          {imagesLeft} of {images} trial images are left. An account needs only an e-mail address and gives
          you {rate}, here and from your own programs.
        </p>
      </div>
      <button onClick={() => openPanel('sign-up')}>Sign up</button>
    </section>
  );
}
