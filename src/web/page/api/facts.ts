import type { PageFacts } from '../../page-facts';

const FACTS = 'meta[name="service-facts"]';

/** Facts about the service, from the document. */
export const facts = JSON.parse(document.querySelector<HTMLMetaElement>(FACTS)?.content ?? '{}') as PageFacts;
