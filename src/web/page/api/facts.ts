import type { PageFacts } from '../../page-facts';

const FACTS = 'meta[name="service-facts"]';

export const facts = JSON.parse(document.querySelector<HTMLMetaElement>(FACTS)?.content ?? '{}') as PageFacts;
