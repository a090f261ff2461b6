/** Compares the formats that a client accepts with the format of its upload. */
import type { ResultFormatName } from '../../../contract/formats';
import type { Work } from '../work';

/** Returns the accepted formats other than the format of the upload. */
export function otherFormats({ source, policy: { formats = [] } }: Work): ResultFormatName[] {
  return formats.filter((format) => format !== 'same' && format !== source.format);
}

/** Whether the format of the upload is accepted. */
export function mayStay(work: Work): boolean {
  const { formats } = work.policy;
  return formats === undefined || otherFormats(work).length < formats.length;
}
