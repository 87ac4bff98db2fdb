import { mkdtempDisposable, readFile, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { htmlToMarkdown } from '../../../../plugins/operations/exporter/html-to-markdown.ts'
import { serve, CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'
import { exportTo, HOME, importFrom } from './exporting.ts'

startOnly('exporter', 'importer', ...CONTENT_PLUGINS)

const garden = new URL('../../../fixtures/garden.wxr.xml', import.meta.url)
const formats = suite('export formats')

formats('has one JSON object per line, as the REST API shows it to editors', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
  await using site = await serve({ home: HOME })
  await importFrom(site, garden, { trustHtml: true })
  const { text, report } = await exportTo(site, folder.path, { format: 'jsonl' })
  const objects = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id?: number; type: string; content?: { raw: string }; email?: string })
  const page = objects.find(({ type, id }) => type === 'page' && id === 131)
  assert.type(page?.content?.raw, 'string', JSON.stringify(page))
  const types = new Set(objects.map(({ type }) => type))
  for (const type of ['settings', 'user', 'category', 'post_tag', 'post', 'page', 'attachment', 'comment'])
    assert.ok(types.has(type), type)
  assert.is(objects.find(({ type }) => type === 'user')?.email, 'rosa@garden.example')
  assert.not.match(text, 'password_hash')
  assert.ok(
    report.notes.some((note) => note.includes('recipe items')),
    report.notes.join(),
  )
})

formats('has the objects that the user may edit, if one is named', async () => {
  await using site = await serve({ home: HOME })
  await importFrom(site, garden, { trustHtml: true })
  const pieces = await Array.fromAsync(site.kernel.services.exporter.stream({ format: 'jsonl', user: { id: 0 } }))
  assert.equal(pieces, [])
})

formats('has Markdown files with front matter and relative links to media', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
  await using site = await serve({ home: HOME })
  const { db } = site.store
  const content = `<!-- wp:paragraph --><p>A <strong>rose</strong> at <a href="${HOME}/uploads/2025/01/a.jpg">this</a></p><!-- /wp:paragraph -->`
  const post = {
    id: 5,
    type: 'post',
    title: 'A "rose": yes',
    slug: 'a-rose',
    content,
    excerpt: 'short',
    status: 'publish',
  }
  const image = {
    id: 6,
    type: 'attachment',
    title: 'image',
    slug: 'image',
    content: '',
    excerpt: '',
    status: 'inherit',
  }
  const date = '2025-01-02 03:04:05'
  await site.store.run(db.insertInto('users').values({ id: 3, login: 'ann', slug: 'ann' }))
  await site.store.run(
    db.insertInto('posts').values([post, image].map((row) => ({ ...row, date, modified: date, author_id: 3 }))),
  )
  await site.store.run(
    db.insertInto('post_meta').values([
      { post_id: 5, key: '_thumbnail_id', value: '6' },
      { post_id: 6, key: '_attached_file', value: '2025/01/a.jpg' },
    ]),
  )
  await site.store.run(db.insertInto('terms').values({ id: 9, taxonomy: 'category', name: 'Plants', slug: 'plants' }))
  await site.store.run(db.insertInto('term_relationships').values({ post_id: 5, term_id: 9 }))
  const { exporter } = site.kernel.services
  const report = await exporter.run({ file: join(folder.path, 'pages'), format: 'markdown' })
  assert.equal(report.counts, { 'post items': 1 })
  assert.equal(await readdir(join(folder.path, 'pages'), { recursive: true }), ['post', 'post/a-rose.md'])
  assert.is(
    await readFile(join(folder.path, 'pages/post/a-rose.md'), 'utf8'),
    `---
title: "A \\"rose\\": yes"
slug: "a-rose"
date: "2025-01-02T03:04:05"
modified: "2025-01-02T03:04:05"
status: "publish"
author: "ann"
categories: ["Plants"]
featured_image: "../uploads/2025/01/a.jpg"
excerpt: "short"
---

A **rose** at [this](../uploads/2025/01/a.jpg)
`,
  )
  await exporter.run({ file: join(folder.path, 'pages.zip'), format: 'markdown' })
  assert.is((await readFile(join(folder.path, 'pages.zip'))).subarray(0, 2).toString(), 'PK')
})

formats('names files safely and without duplicates', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
  await using site = await serve({ home: HOME })
  const slugs = ['a', 'A', '..%2f..%2fescape', '', '%e3%83%90%e3%83%a9']
  await site.store.run(
    site.store.db
      .insertInto('posts')
      .values(slugs.map((slug, place) => ({ id: place + 1, slug, title: slug, type: 'page' }))),
  )
  await site.kernel.services.exporter.run({ file: join(folder.path, 'pages'), format: 'markdown' })
  assert.equal((await readdir(join(folder.path, 'pages/page'))).toSorted(), [
    '-..-escape.md',
    '4.md',
    'A-2.md',
    'a.md',
    'バラ.md',
  ])
})

formats('converts HTML to Markdown', () => {
  const same = (url: string) => url
  for (const [html, markdown] of [
    ['<h2 class="x">A <em>b</em></h2><p>c<br>d</p>', '## A _b_\n\nc  \nd'],
    ['<ul><li>a<ul><li>b</li></ul></li><li><p>c</p></li></ul>', '- a\n  - b\n- c'],
    ['<ol start="3"><li>a</li><li>b</li></ol>', '3. a\n4. b'],
    ['<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
    ['<pre class="language-js"><code>a &lt; b\n```</code></pre>', '````js\na < b\n```\n````'],
    ['<p>1. *a* [b] `c`</p>', String.raw`1\. \*a\* \[b\] \`c\``],
    ['<p><code>a`b</code></p>', '``a`b``'],
    [
      '<figure><img src="/a b.png" alt="x]"><figcaption>cap</figcaption></figure>',
      String.raw`![x\]](/a%20b.png)` + '\n\n_cap_',
    ],
    ['<table><tr><th>a</th><th>b|</th></tr><tr><td>1</td></tr></table>', '| a | b\\| |\n| --- | --- |\n| 1 |  |'],
    ['<table><tr><td colspan="2">a</td></tr></table>', '<table><tr><td colspan="2">a</td></tr></table>'],
    ['<iframe src="https://video.test"></iframe>', '<iframe src="https://video.test"></iframe>'],
    ['<!-- wp:paragraph --><p>a</p><!-- /wp:paragraph --><!-- wp:latest-posts /-->', 'a\n\n<!-- wp:latest-posts /-->'],
    ['a\n\nb <script>x</script>', 'a\n\nb'],
    ['', ''],
  ] as const)
    assert.is(htmlToMarkdown(html, same), markdown)
  const deep = '<div>'.repeat(5000) + 'x' + '</div>'.repeat(5000)
  assert.is(htmlToMarkdown(deep, same), 'x')
})

formats.run()
