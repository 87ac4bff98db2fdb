import { defaultTreeAdapter as tree, parseFragment, type DefaultTreeAdapterTypes } from 'parse5'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache } from '../../../../kernel/index.ts'
import type { BlockType } from '../../../../plugins/rendering/blocks/index.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { serve, type Site, startOnly } from '../../../helpers/site.ts'
import { unsafeUrl } from '../../../xss/unsafe.ts'

startOnly('content-rendering', 'core-blocks')

const TEXTS: readonly string[] = [
  '"><script>xss()</script><xss-k onload=xss>',
  '\'><img src=x onerror=xss() xss="',
  "` onfocus=xss() autofocus xss=` ' onfocus=xss() xss='",
  'javascript:xss()',
  ' java\tscript&colon;xss()',
  'data:text/html,<script>xss()</script>',
  'url(javascript:xss())',
  'red;position:fixed;background:url("javascript:xss()")',
  '</style></textarea></title><xss-k>',
  'expression(xss())',
  '--><xss-k><!--',
  'var:preset|color|"><xss-k>',
  '&quot;&gt;&lt;xss-k&gt; &#34;&#62;',
  '\u202e\u0000\ud800 ünïcödé \u{1f600}',
  '[gallery][caption]<xss-k>[/caption]',
  '$& $1 $` %s %22%3E',
  'x" /--><!-- wp:html --><xss-k><!-- /wp:html -->',
]

const WRONG: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  1e9,
  '',
  'x',
  [],
  [null],
  [[]],
  [{}],
  {},
  { a: { b: { c: null } } },
  { __proto__x: 1, constructor: 1, toString: 1, hasOwnProperty: 1 },
  [1e308, -1, 'x'],
  'x '.repeat(200),
]

const nameOf = ({ name }: BlockType) => name.replace('core/', '')

/** Returns the markup of a block. */
function written(name: string, attributes: Record<string, unknown>, inside = ''): string {
  const json = JSON.stringify(attributes)
    .replaceAll('--', '\\u002d\\u002d')
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
  return `<!-- wp:${name} ${json} -->${inside}<!-- /wp:${name} -->`
}

/** Returns a style attribute with the value in every property. */
function styles(value: unknown): Record<string, unknown> {
  const sides = { top: value, right: value, bottom: value, left: value }
  const border = { width: value, style: value, color: value }
  return {
    color: { text: value, background: value, gradient: value, duotone: value },
    typography: Object.fromEntries(
      'fontFamily fontSize fontStyle fontWeight lineHeight textColumns textDecoration textIndent textTransform letterSpacing writingMode textAlign'
        .split(' ')
        .map((name) => [name, value]),
    ),
    border: { ...border, radius: { topLeft: value }, top: border, right: border, bottom: border, left: border },
    spacing: { padding: sides, margin: sides, blockGap: value },
    dimensions: { aspectRatio: value, height: value, minHeight: value, width: value, minWidth: value },
    shadow: value,
    background: { backgroundImage: { url: value }, backgroundSize: value, backgroundPosition: value },
    css: value,
  }
}

/** Returns attributes with the value in every position that allows it. */
function filled(type: BlockType, value: unknown): Record<string, unknown> {
  const attributes: Record<string, unknown> = {}
  for (const [name, { type: kind, default: usual }] of Object.entries(type.attributes)) {
    if (kind === 'string' || kind === 'rich-text' || kind === undefined) attributes[name] = value
    else if (kind === 'boolean') attributes[name] = usual !== true
    else if (kind === 'number' || kind === 'integer') attributes[name] = 2
    else if (kind === 'array') attributes[name] = [value, { id: value, value, name: value, url: value }]
    else
      attributes[name] =
        name === 'style'
          ? styles(value)
          : { [typeof value === 'string' ? value : 'x']: value, type: value, url: value, name: value }
  }
  return attributes
}

/** Returns blocks whose stored HTML the server changes, with the value in their attributes. */
function changedBlocks(value: unknown): string {
  const text = (typeof value === 'string' ? value : 'k').replace(
    /[&<>"']/g,
    (character) => `&#${character.charCodeAt(0)};`,
  )
  const picture = `<figure class="picture"><img src="/a.jpg" alt='${text}' title="${text}"></figure>`
  const panel = written('tab-panel', { label: value, anchor: value }, `<section title="${text}"><i>k</i></section>`)
  const heading = written('accordion-heading', {}, `<h3><button type="button" title="${text}">k</button></h3>`)
  return [
    written('image', { lightbox: { enabled: true } }, picture),
    written('cover', { useFeaturedImage: true, alt: value, sizeSlug: value }, `<div title="${text}"></div>`),
    written('media-text', { useFeaturedImage: true, mediaSizeSlug: value }, `<div>${picture}</div>`),
    written('tabs', {}, `<div>${written('tab-list', {})}${written('tab-panels', {}, `<div>${panel}</div>`)}</div>`),
    written(
      'accordion',
      { autoclose: true },
      `<div>${written('accordion-item', { openByDefault: true }, `<div title="${text}">${heading}</div>`)}</div>`,
    ),
    written('playlist', { caption: value }, written('playlist-track', { src: value, title: value, image: value })),
    written('playlist', {}, written('playlist-track', { src: '/a.mp3', title: value, artist: value, imageAlt: value })),
  ].join('')
}

/** Returns blocks without context, and inside all blocks that provide context. */
function everywhere(inside: string, { post = 0, value }: { post?: number; value: unknown }): string {
  const query = { queryId: 1, query: { postType: 'post', perPage: 1, inherit: false }, displayLayout: { type: value } }
  const icons = { iconColorValue: value, iconBackgroundColorValue: value, iconColor: value, iconBackgroundColor: value }
  const around: [name: string, attributes: Record<string, unknown>][] = [
    ['query', query],
    ['post-template', {}],
    ['comments', {}],
    ['comment-template', {}],
    ['terms-query', { termQuery: { taxonomy: 'category', hideEmpty: false, perPage: 1 } }],
    ['term-template', {}],
    ['navigation', { openSubmenusOnClick: true }],
    ['social-links', { openInNewTab: true, showLabels: true, ...icons }],
    ['query-pagination', { paginationArrow: value, showLabel: false }],
    ['comments-pagination', { paginationArrow: value }],
  ]
  const nested = around.reduceRight((html, [name, attributes]) => written(name, attributes, html), inside)
  return `${inside}${nested}${written('navigation-link', { id: post, label: value })}${changedBlocks(value)}`
}

/** Returns the parts of HTML that run scripts or escape their element. */
function harmful(html: string, home: string): string[] {
  const found: string[] = []
  const last = '<i title="after">k</i>'
  const nodes = parseFragment(`${html}${last}`).childNodes
  const end = nodes.at(-1)
  if (end === undefined || !tree.isElementNode(end) || end.attrs[0]?.value !== 'after') found.push('what follows it')
  const inspect = (list: readonly DefaultTreeAdapterTypes.ChildNode[]): void => {
    for (const node of list) {
      if (tree.isCommentNode(node) && /[<>]|xss/.test(node.data)) found.push(`comment ${node.data}`)
      if (!tree.isElementNode(node)) continue
      const { tagName, attrs } = node
      if (/^(?:script|style|iframe|object|embed|base|link|meta|xss-k)$/.test(tagName)) found.push(`element ${tagName}`)
      for (const { name, value } of attrs) {
        if (/^on|xss|^(?:srcdoc|formaction|autofocus)$|[^\w:.-]/.test(name))
          found.push(`attribute ${name} of ${tagName}`)
        if (/^(?:href|src|action|cite|poster|data|xlink:href)$/.test(name)) found.push(...unsafeUrl(value, home))
        if (name === 'style' && /position\s*:|expression|javascript|behavior|[@<]/i.test(value.replace(/"[^"]*"/g, '')))
          found.push(`style ${value}`)
      }
      inspect(node.childNodes)
    }
  }
  inspect(nodes)
  return found
}

async function withContent(site: Site): Promise<number> {
  const { store } = site
  const term = await addTerm(store, {
    taxonomy: 'category',
    name: 'News "><xss-k>',
    description: '<b>x</b><script>xss()</script>',
  })
  const image = await addPosts(store, {
    type: 'attachment',
    status: 'inherit',
    mime_type: 'image/png',
    title: '"><xss-k>',
  })
  const [id] = await addPosts(
    store,
    {
      title: 'One &#8220;"> &lt; <b class="x">y</b>',
      comment_status: 'open',
      comment_count: 1,
      terms: [term],
      meta: { _thumbnail_id: image[0]! },
    },
    { title: 'Two' },
  )
  const date = '2025-06-01 10:00:00'
  const row = {
    post_id: id!,
    author_name: '"><xss-k>',
    author_url: 'javascript:xss()',
    content: 'Well <b>said</b>',
    approved: '1',
    type: 'comment',
    date,
    date_gmt: date,
  }
  await store.run(store.db.insertInto('comments').values(row))
  return id!
}

const attacks = suite('core blocks')

attacks('render no scripts from hostile attributes', async () => {
  const lines: string[] = []
  await using site = await serve({ log: 'error', logTo: (line) => lines.push(line) })
  const id = await withContent(site)
  const { blocks, posts, contentRendering: rendering } = site.kernel.services
  const around = (await posts.get(id, new RequestCache()))!
  const found: string[] = []
  for (const text of TEXTS) {
    const all = blocks.all().map((type) => written(nameOf(type), filled(type, text), '<!-- wp:paragraph /-->'))
    const content = everywhere(all.join(''), { post: id, value: text })
    const html = await rendering.content({ ...around, content })
    for (const problem of new Set(harmful(html, site.home))) found.push(`${text}: ${problem}`)
  }
  assert.equal(found, [])
  assert.equal(lines, [])
})

attacks('ignore attributes with a wrong type or size', async () => {
  const lines: string[] = []
  await using site = await serve({ log: 'error', logTo: (line) => lines.push(line) })
  const id = await withContent(site)
  const { blocks, posts, contentRendering: rendering } = site.kernel.services
  const around = (await posts.get(id, new RequestCache()))!
  for (const value of WRONG) {
    const all = blocks.all().map((type) => {
      const name = nameOf(type)
      const attributes = Object.fromEntries(Object.keys(type.attributes).map((attribute) => [attribute, value]))
      return written(name, attributes) + written(name, filled(type, value)) + `<!-- wp:${name} /-->`
    })
    await rendering.content({ ...around, content: everywhere(all.join(''), { value }) })
  }
  const failed = lines.map((line) => JSON.parse(line) as { block?: string; err?: { stack?: string } })
  assert.equal([...new Set(failed.map(({ block, err }) => `${block}: ${err?.stack}`))], [])
})

attacks.run()
