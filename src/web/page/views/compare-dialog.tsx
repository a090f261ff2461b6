import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Report } from '../api/result';
import { compared } from '../state/compared';
import type { DoneJob } from '../state/jobs';
import { savingWords } from '../words/report-words';
import { CompareView } from './compare-view';
import type { ZoomAndPan } from './zoom-and-pan';

/** Before and after, on top of everything; the browser gives the focus back when it closes. */
export function CompareDialog() {
  const job = compared.value;
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the effects of what is in it: they measure.
  useLayoutEffect(() => {
    if (job) dialog.current?.showModal();
  }, [job]);
  return (
    <dialog
      ref={dialog}
      class="compare"
      aria-labelledby="compare-title"
      onClose={() => (compared.value = undefined)}
    >
      {job && <Comparison key={job.id} job={job} onClose={() => dialog.current?.close()} />}
    </dialog>
  );
}

function Comparison({ job, onClose }: { readonly job: DoneJob; readonly onClose: () => void }) {
  const scale = useSignal(1);
  const control = useRef<ZoomAndPan | undefined>(undefined);
  const { report } = job.state;
  return (
    <>
      <header class="compare-head">
        <h2 id="compare-title">{job.file.name}</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </header>
      <CompareView job={job} scale={scale} control={control} />
      <div class="compare-foot">
        <p class="hint">{summary(report)}</p>
        <div class="actions" role="group" aria-label="Zoom">
          <button type="button" aria-label="Zoom out" onClick={() => control.current?.zoomOut()}>
            −
          </button>
          <output aria-label="Zoom level">{Math.round(scale.value * 100)} %</output>
          <button type="button" aria-label="Zoom in" onClick={() => control.current?.zoomIn()}>
            +
          </button>
          <button type="button" onClick={() => control.current?.fit()}>
            Fit
          </button>
          <button type="button" onClick={() => control.current?.actualSize()}>
            100 %
          </button>
        </div>
      </div>
    </>
  );
}

function summary(report: Report): string {
  const quality = report.quality === undefined ? [] : [`quality ${report.quality}`];
  return [savingWords(report), ...quality, `score ${report.score}`].join(' · ');
}
