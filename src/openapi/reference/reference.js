/**
 * Runs in the browser, at /docs: shows the OpenAPI document of this service in Swagger UI. The code samples name the host that
 * the page comes from, and the reader's key if the page at / keeps one.
 */
import SwaggerUIBundle from 'swagger-ui-dist/swagger-ui-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';

/* global MutationObserver, document, fetch, location, localStorage, matchMedia, sessionStorage */
const place = document.getElementById('reference');

/** The key that the page at / keeps for this tab or device, so that nobody has to paste it twice. */
function keyOfPage() {
  try {
    const item = 'image-compression-key';
    return sessionStorage.getItem(item) ?? localStorage.getItem(item) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Puts what Swagger UI does not show into descriptions: code samples, defaults, examples. */
function prepared(text, key) {
  const { exampleOrigin, exampleKey } = place.dataset;
  const named = text.replaceAll(exampleOrigin, location.origin);
  const content = JSON.parse(key ? named.replaceAll(exampleKey, key) : named);
  content.servers = [{ url: location.origin, description: 'This service' }];
  // Says nothing to somebody who calls the API.
  delete content.info.license;
  for (const operation of Object.values(content.paths).flatMap((path) => Object.values(path))) {
    const samples = (operation['x-codeSamples'] ?? []).map(
      ({ label, source }) => `**${label}**\n\n\`\`\`\n${source}\n\`\`\``,
    );
    operation.description = [operation.description, ...samples].filter(Boolean).join('\n\n');
    for (const parameter of operation.parameters ?? []) withoutExamples(parameter);
  }
  for (const parameter of Object.values(content.components.parameters)) withoutExamples(parameter);
  return content;
}

/** Swagger UI would send the examples and defaults of all parameters with every request. */
function withoutExamples(parameter) {
  const { schema = {}, examples } = parameter;
  if (schema.default !== undefined) parameter.description += ` Default: \`${schema.default}\`.`;
  else if (examples) parameter.description += ` Example: \`${examples.default.value}\`.`;
  delete schema.default;
  delete parameter.examples;
}

function followColourScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
}

/** Swagger UI gives the inputs of parameters and bodies no names. */
function nameInputs() {
  const inputs = document.querySelectorAll(':is(select, input):not([aria-label], [id])');
  for (const input of [...inputs, ...document.querySelectorAll('select[id]:not([aria-label])')]) {
    const row = input.closest('tr, .response-control-media-type, .content-type-wrapper');
    const name = row?.querySelector('.parameter__name, .parameters-col_name')?.textContent;
    input.setAttribute('aria-label', name ?? 'Media type');
  }
}

followColourScheme();
new MutationObserver(nameInputs).observe(place, { childList: true, subtree: true });
fetch('/openapi.json')
  .then((response) => response.text())
  .then((text) => {
    place.textContent = '';
    const key = keyOfPage();
    const reference = SwaggerUIBundle({
      spec: prepared(text, key),
      domNode: place,
      deepLinking: true,
      defaultModelsExpandDepth: -1,
      persistAuthorization: false,
      tryItOutEnabled: true,
      // Its colours have too little contrast.
      syntaxHighlight: false,
      // Nothing leaves this origin.
      validatorUrl: null,
      onComplete: () => key && reference.preauthorizeApiKey('bearer', key),
    });
  })
  .catch(() => {
    place.textContent = 'The reference cannot be shown. The document itself is at /openapi.json.';
  });
