/**
 * Runs in the browser, at /docs, after Scalar: shows the OpenAPI document of this service. The code samples name
 * the host that the page comes from.
 */
/* global Scalar, MutationObserver, document, fetch, location */
const place = document.getElementById('reference');

// Scalar gives its button that copies a code sample no name.
new MutationObserver(() => {
  for (const button of document.querySelectorAll('button[class*="copy-button"]:not([aria-label])')) {
    button.setAttribute('aria-label', 'Copy');
  }
}).observe(document.body, { childList: true, subtree: true });

fetch('/openapi.json')
  .then((response) => response.text())
  .then((text) => {
    const content = JSON.parse(text.replaceAll(place.dataset.exampleOrigin, location.origin));
    place.textContent = '';
    Scalar.createApiReference(place, {
      content,
      documentDownloadType: 'none',
      authentication: { preferredSecurityScheme: 'bearer' },
      // The samples of the document, and none that are generated: those get multipart wrong.
      hiddenClients: true,
      hideModels: true,
      defaultOpenAllTags: true,
      // The theme's greys and colours, as dark as WCAG AA asks for.
      customCss: `
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
    });
  })
  .catch(() => {
    place.textContent = 'The reference cannot be shown. The document itself is at /openapi.json.';
  });
