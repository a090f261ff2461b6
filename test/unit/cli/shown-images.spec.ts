import { findShown } from '../../../src/cli/check/shown-images';

const SIZE = { width: 800, height: 600 };
/** What one image of 800 x 600 is, in a site of these files. */
async function shown(files: Record<string, string>, image = 'img/a.jpg') {
  const pages = Object.entries(files).map(([name, text]) => ({ folder: '/site', name, text }));
  return (await findShown(pages, [`/site/${image}`]))(`/site/${image}`, SIZE);
}
const inPage = (html: string) => shown({ 'index.html': html });
const scalable = { isScalable: true, page: 'index.html' };
const chosen = { isScalable: false, page: 'index.html' };

it.each([
  ['<img src="img/a.jpg" width="400">', { ...scalable, density: 2 }],
  ['<img src="/img/a.jpg" width="400" height="150px">', { ...scalable, density: 2 }],
  ['<img src="/base/img/a.jpg?v=1#x" height="100">', { ...scalable, density: 6 }],
  ['<base href="/img/"><img src="a.jpg" width=200>', { ...scalable, density: 4 }],
  ['<noscript><img src="img/a.jpg" width="400"></noscript>', { ...scalable, density: 2 }],
  ['<template><img src="img/%61.jpg" width="400"></template>', { ...scalable, density: 2 }],
  ['<img src="x.jpg" srcset="img/a.jpg 2x, y.jpg 3x">', { ...chosen, density: 2 }],
  ['<img src="x.jpg" srcset="img/a.jpg 2x" width="200">', { ...scalable, density: 4 }],
  ['<img src="img/a.jpg" srcset="y.jpg 2x">', { ...chosen, density: 1 }],
  ['<img srcset="img/a.jpg 800w, y.jpg 1600w" sizes="400px">', { ...chosen, density: 2 }],
  [
    '<picture><source srcset="img/a.jpg 2x"><img src="x.jpg" width="200"></picture>',
    { ...scalable, density: 4 },
  ],
  ['<img src="img/a.jpg" width=200><img src="img/a.jpg" width=400>', { ...scalable, density: 2 }],
  ['<a href="img/a.jpg"><img src="img/a.jpg" width="200"></a>', { ...chosen, density: 1 }],
  ['<meta property="og:image" content="https://example.com/img/a.jpg">', { ...chosen, density: 1 }],
])('tells how densely an image is seen: %s', async (html, expected) => {
  expect(await inPage(html)).toEqual(expected);
});

it.each([
  '<img src="img/a.jpg">',
  '<img src="img/a.jpg" width="50%">',
  '<img src="img/a.jpg" width="400" style="width: 100%">',
  '<img srcset="img/a.jpg 800w" sizes="auto">',
  '<img src="img/a.jpg" width="400"><div style="background: url(&quot;img/a.jpg&quot;)"></div>',
  '<style>p { background: url(img/a.jpg) }</style><img src="img/a.jpg" width="400">',
  '<img src="img/a.jpg" width="400"><img data-src="img/a.jpg">',
  '<img src="img/a.jpg" width="400"><script>open("img/a.jpg")</script>',
  '<video poster="img/a.jpg" width="400">',
  '<img src="https://example.com/docs/img/a.jpg" width="400">',
  '<!-- <img src="img/a.jpg" width="400"> --><img src="%E0%A4%A" width=1><img src="//" width=1>',
])('does not guess what CSS or scripts do: %s', async (html) => {
  expect(await inPage(html)).toEqual({});
});

it('takes the most demanding of all pages and style sheets', async () => {
  const pages = {
    'a.html': '<img src="img/a.jpg" width=100>',
    'b/c.html': '<img src="../img/a.jpg" width=400>',
  };
  expect(await shown(pages)).toEqual({ density: 2, page: 'b/c.html', isScalable: true });
  expect(await shown({ ...pages, 'css/a.css': '.a { background: url("../img/a.jpg") }' })).toEqual({});
});

it('minds the names in scripts, which may be relative to the page', async () => {
  const page = '<img src="img/a.jpg" width=100>';
  for (const script of ["show('img/a.jpg')", 'const a = `../img/a.jpg`;'])
    expect(await shown({ 'index.html': page, 'js/app.js': script })).toEqual({});
  expect(await shown({ 'index.html': page, 'js/app.js': 'a.jpg' })).toEqual({ ...scalable, density: 8 });
});

it('believes a name such as photo@2x.png if no page tells a size', async () => {
  expect(await shown({}, 'img/a@2x.png')).toEqual({ density: 2 });
  expect(await shown({ 'a.css': 'p { background: url(img/a@1.5x.png) }' }, 'img/a@1.5x.png')).toEqual({
    density: 1.5,
  });
  const page = { 'index.html': '<img src="img/a@2x.png" width="200">' };
  expect(await shown(page, 'img/a@2x.png')).toEqual({ ...scalable, density: 4 });
});

// Tried one by one, its addresses would take hours.
it('reads an attribute of a megabyte of slashes', async () => {
  const href = `${'/x'.repeat(500_000)}/img/a.jpg`;
  expect(await inPage(`<a href="${href}">`)).toEqual({ ...chosen, density: 1 });
  expect(await inPage(`<a href="${'/x'.repeat(500_000)}">`)).toEqual({});
});

it('reads 200 000 nested elements, in the order of the page', async () => {
  const nested = '<span>'.repeat(200_000);
  const html = `<base href="/img/">${nested}<img src="a.jpg" width="200">`;
  expect(await inPage(html)).toEqual({ ...scalable, density: 4 });
});
