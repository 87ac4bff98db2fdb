import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isObject } from '../../../../kernel/index.ts'
import type { BlockType } from '../../../../plugins/rendering/blocks/index.ts'
import { places } from '../../../helpers/stores.ts'
import type { BlockLines } from './attribute-lines.ts'
import { CHANGED_LINES } from './changed-blocks.ts'
import { RENDERED_LINES } from './attribute-table.ts'
import { serveBlocks, type ShownBlocks } from './shown-blocks.ts'
import { STORED_LINES } from './static-attributes.ts'

/** Selectors of the rules for elements, by their name and after the class of the block. */
const ELEMENTS = { link: 'a:where(:not(.wp-element-button))', heading: 'h1', button: '.wp-element-button' } as const
type Element = keyof typeof ELEMENTS

/** Layouts that need a rule of their own, and a part of the rule. */
const LAYOUTS = [
  [{ type: 'flex', orientation: 'vertical', justifyContent: 'right' }, 'flex-direction:column;align-items:flex-end'],
  [{ type: 'constrained', contentSize: '321px' }, 'max-width:321px'],
] as const
type Layout = (typeof LAYOUTS)[number]

/** A block with every attribute of this test that its type supports. */
interface Case {
  readonly name: string
  readonly type: BlockType
  readonly values: object
  readonly block: BlockLines
  readonly align: string | null
  readonly elements: readonly Element[]
  readonly color: string
  readonly layout: Layout | null
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})
const isStored = (name: string, { inside = '' }: BlockLines) =>
  name in STORED_LINES || (name in CHANGED_LINES && /^<[a-z]/.test(inside))

/** Returns HTML whose first element has more classes. */
const withClass = (html: string, more: string) =>
  html.replace(
    /^<([a-z\d]+)((?:(?! class=)[^>])*)(?: class="([^"]*)")?/,
    (_, tag: string, rest: string, old = '') => `<${tag}${rest} class="${`${more} ${old}`.trim()}"`,
  )

const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const unescapeXml = (xml: string) =>
  xml.replace(/&(\w+);/g, (whole, entity: string) => CHARACTERS[entity] ?? whole).replaceAll('&#39;', "'")

/** Returns the blocks whose type supports text alignment, a layout or colors of elements, with these attributes. */
function casesOf({ site }: ShownBlocks, layouts: readonly Layout[]): Case[] {
  const { blocks } = site.kernel.services
  return [...Object.keys(RENDERED_LINES), ...Object.keys(STORED_LINES)].flatMap((name, at) => {
    const type = blocks.get(`core/${name}`)!
    const { typography, color: colors, layout: laidOut } = type.supports
    const align = objectOf(typography)['textAlign'] ? ['center', 'right', 'left'][at % 3]! : null
    const elements = (Object.keys(ELEMENTS) as Element[]).filter((one) => objectOf(colors)[one] === true)
    const layout = laidOut ? layouts[at % layouts.length]! : null
    if (align === null && elements.length === 0 && layout === null) return []
    const color = `#${(0xa00000 + at).toString(16)}`
    const values = {
      className: `case-${name}`,
      ...(layout !== null && { layout: layout[0] }),
      style: {
        ...(align !== null && { typography: { textAlign: align } }),
        ...(elements.length > 0 && {
          elements: Object.fromEntries(elements.map((one) => [one, { color: { text: color } }])),
        }),
      },
    }
    const lines = { ...(RENDERED_LINES[name] ?? { inside: '<div>x</div>', lines: {} }), ...SHOWN[name] }
    const saved = `case-${name}${align === null ? '' : ` has-text-align-${align}`}`
    const block = isStored(name, lines) ? { ...lines, inside: withClass(lines.inside!, saved) } : lines
    return [{ name, type, values, block, align, elements, color, layout }]
  })
}

/** Returns the tags that have one of the classes. */
const marked = (html: string) =>
  [...html.matchAll(/<[a-z\d]+\s[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => /\b(?:has-text-align-|wp-elements-|is-layout-|wp-container-)/.test(tag))

/** Where blocks are shown that need more than the table of attributes gives them. */
const SHOWN: Readonly<Record<string, Partial<BlockLines>>> = {
  comments: { inside: '<div class="case-comments "><!-- wp:comments-title /--></div>' },
  'comment-edit-link': { place: 'page', around: RENDERED_LINES['comment-content']!.around! },
  'comments-pagination': { place: 'page', inside: '<!-- wp:comments-pagination-next /-->' },
  'post-template': { around: RENDERED_LINES['query-total']!.around!, inside: '<!-- wp:post-title /-->' },
  'query-no-results': {
    around: RENDERED_LINES['query-total']!.around!.replace('"perPage"', '"author":"9999","perPage"'),
    inside: '<!-- wp:paragraph --><p>None</p><!-- /wp:paragraph -->',
  },
  'term-template': {
    around: RENDERED_LINES['term-count']!.around!.replace(/<!-- \/?wp:term-template -->/g, ''),
    inside: '<!-- wp:term-name /-->',
  },
  'query-pagination': { around: RENDERED_LINES['query-total']!.around!, inside: '<!-- wp:query-pagination-next /-->' },
}

/** Returns the first tag with the class of a case. */
const tagOf = (name: string, html: string) =>
  [...html.matchAll(/<[a-z\d]+\s[^>]*>/g)].map(([tag]) => tag).find((tag) => tag.includes(`case-${name} `))

/** Returns what is wrong with the classes of the block of a case. @param html of its post */
function wrongClasses({ name, align, elements, layout }: Case, html: string): string[] {
  const own = tagOf(name, html)
  if (own === undefined) return [`${name} is not shown: ${html}`]
  const expected = [
    ...(align === null ? [] : [`has-text-align-${align}`]),
    ...(elements.length === 0 ? [] : ['wp-elements-']),
    ...(layout === null ? [] : [`is-layout-${layout[0].type}`, `wp-container-core-${name}-is-layout-`]),
  ]
  const missing = expected.filter((one) => !new RegExp(`[ "]${one}`).test(own))
  return missing.length === 0 ? [] : [`${name} lacks ${missing.join(' ')}: ${own}`]
}

/** Returns the rules that a page with the block of a case lacks. @param html with the classes of the block */
function missingRules({ name, elements, color, layout }: Case, html: string, page: string): string[] {
  const own = html.slice(Math.max(html.indexOf(`case-${name} `), 0))
  const [ofElements] = /wp-elements-[\da-f]{32}/.exec(own) ?? []
  const [container] = new RegExp(`wp-container-core-${name}-is-layout-[\\da-f]{8}`).exec(own) ?? []
  const css = [...page.matchAll(/<style[^>]*>([^]*?)<\/style>/g)].map(([, text]) => text).join('')
  const has = (selector: string, declaration: string) =>
    css.split('}').some((rule) => rule.includes(selector) && rule.includes(declaration))
  const missing = elements
    .map((one) => `.${ofElements} ${ELEMENTS[one]}`)
    .filter((selector) => !has(selector, `{color:${color}`))
  if (layout !== null && !has(`.${container}.is-layout-`, layout[1])) missing.push(`.${container}`)
  return missing.length === 0 ? [] : [`${name} lacks rules ${missing.join(' ')}`]
}

/** A post as the API and a page show it, and what its entry in the feed and its page lack. */
interface Shown {
  readonly html: string
  readonly page: string
  readonly missing: readonly string[]
}

/** Stores posts with these contents, by name, and requests them from the API, in the feed and on pages. */
async function everywhere(shown: ShownBlocks, contents: ReadonlyMap<string, string>): Promise<Map<string, Shown>> {
  const { site } = shown
  const { home, kernel } = site
  await kernel.services.options.set('posts_per_rss', 100)
  const ids = new Map<string, number>()
  for (const [name, content] of contents) ids.set(name, await shown.post(content, `Case ${name}.`))
  const feed = unescapeXml(await (await fetch(`${home}/feed/`)).text())
  const found = new Map<string, Shown>()
  for (const [name, id] of ids) {
    const post = (await site.json(`/${kernel.branding.namespace('v2')}/posts/${id}`)) as {
      content: { rendered: string }
    }
    const html = post.content.rendered
    const page = await (await fetch(`${home}/?p=${id}`)).text()
    const entry = feed.split('<item>').find((text) => text.includes(`<title>Case ${name}.</title>`)) ?? ''
    const missing = Object.entries({ feed: entry, page }).flatMap(([place, text]) =>
      marked(html).flatMap((tag) => (text.includes(tag) ? [] : [`${name} in ${place}: no ${tag}`])),
    )
    found.set(name, { html, page, missing })
  }
  return found
}

for (const word of ['svc', 'wp']) {
  for (const { name: database, make } of places) {
    const blocks = suite(`blocks in the API, in feeds and on pages, with the word ${word}, ${database}`)

    blocks('have text alignment, layouts and element colors if their type supports them', async () => {
      await using shown = await serveBlocks(await make(), { word })
      await shown.site.store.run(shown.site.store.db.updateTable('terms').set({ description: 'Words' }))
      const problems: string[] = []
      const contents = new Map<string, string>()
      const cases = casesOf(shown, LAYOUTS)
      for (const one of cases) {
        const { name, block, values } = one
        if (block.place === undefined) contents.set(name, shown.contentOf(name, block, values))
        else problems.push(...wrongClasses(one, await shown.show(name, block, values)))
      }
      const found = await everywhere(shown, contents)
      for (const one of cases) {
        const { html, page, missing } = found.get(one.name) ?? {}
        if (html === undefined) continue
        problems.push(...wrongClasses(one, html), ...missingRules(one, html, page!), ...missing!)
      }
      assert.equal(problems, [])
      assert.ok(found.size > 60, `${found.size} blocks`)
    })

    blocks('have the alignment of an attribute that types no longer declare', async () => {
      await using shown = await serveBlocks(await make(), { word })
      const aligned = casesOf(shown, LAYOUTS).filter(
        ({ name, align, block }) => align !== null && block.place === undefined && !(name in STORED_LINES),
      )
      await shown.site.store.run(shown.site.store.db.updateTable('terms').set({ description: 'Words' }))
      const contents = aligned.map(({ name, block }) => {
        const values = { className: `case-${name}`, textAlign: 'right' }
        return [name, shown.contentOf(name, block, values)] as const
      })
      const found = await everywhere(shown, new Map(contents))
      const problems = aligned.flatMap(({ name }) => {
        const { html, missing } = found.get(name)!
        const tag = tagOf(name, html) ?? html
        return [...(/[ "]has-text-align-right[ "]/.test(tag) ? [] : [`${name}: ${tag}`]), ...missing]
      })
      assert.equal(problems, [])
      assert.ok(found.size > 15, `${found.size} blocks`)
    })

    blocks('have their layout classes on the inner container of stored HTML', async () => {
      await using shown = await serveBlocks(await make(), { word })
      const containers = casesOf(shown, LAYOUTS).filter(
        ({ name, layout }) => layout !== null && (name in STORED_LINES || name === 'cover'),
      )
      const inner = '<!-- wp:paragraph --><p>C</p><!-- /wp:paragraph -->'
      const contents = containers.map(({ name, values }) => {
        const inside =
          `<div class="case-${name} "><span aria-hidden="true" class="before"></span><img src="https://a.test/a.png" alt=""/>` +
          `<div class="wp-block-${name}__inner-container">${inner}</div></div>`
        return [name, shown.contentOf(name, { inside, lines: {} }, values)] as const
      })
      const found = await everywhere(shown, new Map(contents))
      const problems = containers.flatMap((one) => {
        const { name, layout, elements } = one
        const { html, page, missing } = found.get(name)!
        const outer = tagOf(name, html) ?? html
        const [container = html] = new RegExp(`<div class="wp-block-${name}__inner-container[^>]*>`).exec(html) ?? []
        return [
          ...(/is-layout-|wp-container-/.test(outer) ? [`${name} outside: ${outer}`] : []),
          ...(elements.length > 0 && !outer.includes('wp-elements-') ? [`${name} without colors: ${outer}`] : []),
          ...(container.includes(`is-layout-${layout![0].type}`) ? [] : [`${name} inside: ${container}`]),
          ...missingRules(one, `${outer}${container}`, page),
          ...missing,
        ]
      })
      assert.equal(problems, [])
      assert.ok(found.size > 5, `${found.size} blocks`)
    })

    blocks.run()
  }
}
