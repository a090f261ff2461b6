/**
 * Runs in the browser, at /docs, after Scalar: shows the OpenAPI document of this service. The code samples name
 * the host that the page comes from.
 */
/* global Scalar, MutationObserver, document, fetch, location, localStorage, sessionStorage */
const place = document.getElementById('reference');

/** Long commands scroll sideways, and so do the descriptions below the examples. */
const SCROLLING = ':is(code.custom-scroll, .scalar-card-content.overflow-auto):not([tabindex])';

// Scalar gives its button that copies a code sample no name.
new MutationObserver(() => {
  for (const button of document.querySelectorAll('button[class*="copy-button"]:not([aria-label])')) {
    button.setAttribute('aria-label', 'Copy');
  }
  // Keys scroll only what can have the focus.
  for (const box of document.querySelectorAll(SCROLLING)) box.tabIndex = 0;
}).observe(document.body, { childList: true, subtree: true });

/** The key that the page at / keeps for this tab or device, so that nobody has to paste it twice. */
function keyOfPage() {
  try {
    const item = 'image-compression-key';
    return sessionStorage.getItem(item) ?? localStorage.getItem(item) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Scalar shows a default only to a pointer above the word "Default": writes it into the description. */
function withDefaultsAsText(content) {
  const operations = Object.values(content.paths).flatMap((path) => Object.values(path));
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    const { schema } = parameter;
    if (schema?.default === undefined) continue;
    parameter.description += ` Default: \`${schema.default}\`.`;
    delete schema.default;
  }
  return content;
}

/** The configuration of Scalar; the code samples name the key, if there is one. */
function configurationWith(text, key) {
  const { exampleOrigin, exampleKey } = place.dataset;
  const document = text.replaceAll(exampleOrigin, location.origin);
  const content = withDefaultsAsText(JSON.parse(key ? document.replaceAll(exampleKey, key) : document));
  // Scalar hides the key in the samples until they are copied, but shows it in the text.
  if (key) content.info.description = content.info.description.replaceAll(key, exampleKey);
  // Scalar puts the address of the server before each path.
  content.servers = [{ url: location.origin, description: 'This service' }];
  // Says nothing to somebody who calls the API.
  delete content.info.license;
  return {
    content,
    documentDownloadType: 'none',
    authentication: {
      preferredSecurityScheme: 'bearer',
      securitySchemes: key ? { bearer: { token: key }, apiKey: { value: key } } : {},
    },
    // The samples of the document, and none that are generated: those get multipart wrong.
    hiddenClients: true,
    hideModels: true,
    defaultOpenAllTags: true,
    // The theme's greys and colours, as dark as WCAG AA asks for.
    customCss: `
      /* Below the bar with the way home. */
      :root { --scalar-custom-header-height: 3rem; }
      /* WCAG 2.2, 2.5.8: the least size of what is tapped. */
      .scalar-app :is(button, a.endpoint) { min-width: 24px; min-height: 24px; }
      /* One row of the statuses would hide half of them. */
      .scalar-app .tab-list { flex-wrap: wrap; overflow: visible; }
      .light-mode {
        --scalar-color-2: #4d4d4d; --scalar-color-3: #5e5e5e; --scalar-color-green: #046c4e;
        --scalar-color-blue: #0a5ea8; --scalar-color-orange: #a33f00; --scalar-color-red: #b3001b;
      }
      .dark-mode { --scalar-color-2: #c4c4c4; --scalar-color-3: #b0b0b0; --scalar-color-red: #ff8f8f; }`,
    // A key that was tried stays in the page.
    persistAuth: false,
    // Nothing leaves this origin.
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
  };
}

/** What fits in place of the example in a string of every language. */
const KEY = /^\w+$/;

fetch('/openapi.json')
  .then((response) => response.text())
  .then((text) => {
    place.textContent = '';
    const reference = Scalar.createApiReference(place, configurationWith(text, keyOfPage()));
    // The key that is typed in goes into the samples too.
    document.addEventListener('change', ({ target }) => {
      if (target.placeholder === 'Token' && KEY.test(target.value)) {
        reference.updateConfiguration(configurationWith(text, target.value));
      }
    });
  })
  .catch(() => {
    place.textContent = 'The reference cannot be shown. The document itself is at /openapi.json.';
  });
