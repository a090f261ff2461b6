import { facts } from '../api/facts';
import { trial } from '../state/credentials';
import { panel, shownPanel } from '../state/panel';
import { summary } from '../state/summary';

/** After the first results: what an account brings. */
export function TrialOffer() {
  const { isFinished, done } = summary.value;
  if (!trial.value || !isFinished || done === 0 || shownPanel.value) return null;
  const { imagesLeft, images } = trial.value;
  const rate =
    facts.imagesPerMinute > 0 ? `${facts.imagesPerMinute} images a minute` : 'any number of images';
  const openPanel = () => {
    panel.value = 'sign-up';
    scrollTo({ top: 0 });
  };
  return (
    <section class="offer" aria-labelledby="offer-title">
      <div>
        <h2 id="offer-title">Like the result?</h2>
        <p>
          {imagesLeft} of {images} trial images are left. An account takes an e-mail address and gives you{' '}
          {rate}, here and from your own programs.
        </p>
      </div>
      <button type="button" onClick={openPanel}>
        Sign up
      </button>
    </section>
  );
}
