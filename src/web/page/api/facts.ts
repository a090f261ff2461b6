import type { PageFacts } from '../../page-facts';

const FACTS = 'meta[name="service-facts"]';

/** What the service wrote into the document about itself. */
export const facts = JSON.parse(document.querySelector<HTMLMetaElement>(FACTS)?.content ?? '{}') as PageFacts;
