import { Formats } from '../../../contract/formats';
import type { PageFacts } from '../../page-facts';

const FACTS = 'meta[name="service-facts"]';

export const facts = JSON.parse(document.querySelector<HTMLMetaElement>(FACTS)?.content ?? '{}') as PageFacts;

/** The formats of the service, those of its packages included. */
export const formats = Formats.known(facts.formats);
