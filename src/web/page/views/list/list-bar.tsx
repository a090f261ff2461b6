import { asJpegs } from '../../state/choices';
import { clear } from '../../state/removals';
import { summary } from '../../state/summary';
import { countWords, jpegWords, totalWords } from '../../words/list';
import { savingPercent } from '../../words/numbers';
import { DownloadResults } from '../parts/downloads';
import { LIST_TITLE, thenFocusList } from '../parts/focus';
import { Notice } from './notice';

export function ListBar() {
  return (
    <div class="list-bar">
      <Overview />
      <Notice />
      <AsJpegs />
    </div>
  );
}

function Overview() {
  const { isFinished, originalSize, bytesSaved, costly } = summary.value;
  return (
    <>
      <div class="overview row wraps">
        {originalSize > 0 && (
          <p class={costly > 0 ? 'total-saving numbers costly' : 'total-saving numbers'}>
            {savingPercent(originalSize, bytesSaved)}% <span>smaller</span>
          </p>
        )}
        <div class="overview-words grow">
          <h2 class="numbers" id={LIST_TITLE} tabIndex={-1}>
            {countWords(summary.value)}
          </h2>
          <p class="hint numbers" data-testid="totals">
            {originalSize > 0
              ? totalWords(summary.value)
              : isFinished
                ? 'See below what went wrong'
                : 'Sizes appear as images are done'}
          </p>
        </div>
        <div class="actions">
          <DownloadResults />
          <button onClick={thenFocusList(clear)}>Clear</button>
        </div>
      </div>
      <Progress />
    </>
  );
}

function Progress() {
  const { progress, failed, total } = summary.value;
  const share = progress > 0 ? Math.round((failed / (total * progress)) * 100) : 0;
  return (
    <progress
      style={{ '--failed': `${share}%` }}
      class={failed > 0 ? 'overall with-failures' : 'overall'}
      max={1}
      value={progress}
      aria-label="Progress of all images"
    />
  );
}

function AsJpegs() {
  const photos = asJpegs.images.value;
  if (photos.length === 0) return null;
  const sizes = photos.map(
    ({ result: { report } }) => [report.compressedSize, report.jpegEstimate ?? 0] as const,
  );
  const scarcity = asJpegs.scarcity.value;
  return (
    <p class="as-jpeg row wraps less">
      {jpegWords(sizes)} {scarcity && `${scarcity}.`}
      <button onClick={thenFocusList(asJpegs.make)}>
        Make {photos.length === 1 ? 'it a JPG' : 'them JPGs'}
      </button>
    </p>
  );
}
