import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../helpers/accessibility.ts'
import { useChromium } from '../../helpers/chromium.ts'
import { addPosts } from '../../helpers/content.ts'
import { serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'
import { filePlace } from '../../helpers/stores.ts'
import { CONTENTS, RATIOS } from './shown-content.ts'

type Page = Awaited<ReturnType<typeof openWindow>>['page']

/** Position and size of an element in pixels, and its computed styles. */
interface Shown {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly width: number
  readonly height: number
  readonly style: Readonly<Record<string, string>>
}

const content = suite<{ site: SiteWithUsers; ids: Map<string, number> }>('content on pages')
const { inBrowser, openWindow } = useChromium(content)

const [PHONE, DESKTOP] = [390, 1280]
const STYLES = ['color', 'display', 'float', 'fontSize', 'lineHeight', 'textAlign', 'textDecorationLine']

content.before(async (context) => {
  context.site = await serveWithUsers(filePlace)
  await addPosts(context.site.store, { title: 'Beds', content: '<p>x</p>' }, { title: 'Paths', content: '<p>y</p>' })
  await addPosts(
    context.site.store,
    ...['About', 'Beans', 'Roses'].map((title) => ({ title, type: 'page', content: '<p>x</p>' })),
  )
  const names = Object.entries(CONTENTS)
  const ids = await addPosts(
    context.site.store,
    ...names.map(([title, text]) => ({ title, content: text, comment_status: 'open' })),
  )
  context.ids = new Map(names.map(([name], at) => [name, ids[at]!]))
})
content.after(async ({ site }) => {
  await site[Symbol.asyncDispose]()
})

/** Declares a test that checks one of the contents in windows of both widths. */
function shows(
  claim: string,
  name: keyof typeof CONTENTS,
  check: (see: (selector: string) => Promise<Shown[]>, width: number, page: Page) => Promise<void>,
): void {
  inBrowser(claim, async ({ site, ids }) => {
    await using window = await openWindow()
    const { page } = window
    for (const width of [PHONE, DESKTOP]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`${site.home}/?p=${ids.get(name)}`)
      await check((selector) => seen(page, selector), width, page)
    }
  })
}

/** Returns the elements of the content that match a selector. */
async function seen(page: Page, selector: string): Promise<Shown[]> {
  const found = await page.evaluate<Shown[]>(`
    [...document.querySelector('.entry-content').querySelectorAll(${JSON.stringify(selector)})].map((one) => {
      const { left, right, top, bottom, width, height } = one.getBoundingClientRect()
      const style = getComputedStyle(one)
      return { left, right, top, bottom, width, height, style: Object.fromEntries(${JSON.stringify(STYLES)}.map((name) => [name, style[name]])) }
    })`)
  assert.ok(found.length > 0, `${selector} is missing`)
  return found
}

const isNear = (one: number, other: number, by = 1) => Math.abs(one - other) <= by
/** Numbers of elements in the rows, from top to bottom. */
function rows(elements: readonly Shown[]): number[] {
  const tops = [...new Set(elements.map(({ top }) => Math.round(top)))].toSorted((a, b) => a - b)
  return tops.map((top) => elements.filter((one) => Math.round(one.top) === top).length)
}

for (const name of Object.keys(CONTENTS) as (keyof typeof CONTENTS)[]) {
  shows(`fits into the window, with whole images and readable texts: ${name}`, name, async (_see, width, page) => {
    const found = await page.evaluate<Record<string, unknown>>(`(() => {
      const inside = [...document.querySelector('.entry-content').querySelectorAll('*')]
      const name = (one) => one.outerHTML.slice(0, 120)
      return {
        isWide: document.documentElement.scrollWidth > window.innerWidth,
        stretched: inside.filter((one) => one.tagName === 'IMG' && getComputedStyle(one).objectFit === 'fill' && one.naturalWidth > 0 &&
          Math.abs(one.clientWidth / one.clientHeight - one.naturalWidth / one.naturalHeight) > 0.03).map(name),
        broadCaptions: inside.filter((one) => one.tagName === 'FIGCAPTION' && one.offsetWidth > one.parentElement.offsetWidth + 1).map(name),
        paragraphsBesideTheirContainer: inside.filter((one) => one.matches('p:not(.screen-reader-text)') && one.scrollWidth > one.clientWidth + 1).map(name),
      }
    })()`)
    assert.equal(
      found,
      { isWide: false, stretched: [], broadCaptions: [], paragraphsBesideTheirContainer: [] },
      `${width} px`,
    )
    const faint = (await accessibilityFindings(page, '.entry-content')).filter((line) => line.startsWith('color-'))
    assert.equal(faint, [])
  })
}

shows('stacks columns on phones, and keeps their widths on wide screens', 'columns', async (see, width) => {
  const three = await see('.column-A, .column-B, .column-C')
  assert.equal(rows(three), width === PHONE ? [1, 1, 1] : [3])
  assert.ok(three.every((one) => isNear(one.width, three[0]!.width)))
  const [narrow] = await see('.narrow')
  const [broad] = await see('.broad')
  const share = narrow!.width / (narrow!.width + broad!.width)
  assert.ok(width === PHONE ? isNear(share, 0.5, 0.01) : isNear(share, 0.25, 0.03), `${share}`)
  assert.equal(rows(await see('.stays')), [2], 'columns that stay in a row')
})

shows('indents nested lists further, from the side where their text starts', 'lists', async (see) => {
  for (const tag of ['ul', 'ol']) {
    const [outer] = await see(`:not(dd, [dir]) > ${tag} > li`)
    const [deepest] = await see(`.${tag}-deepest`)
    assert.ok(deepest!.left >= outer!.left + 30, tag)
  }
  const [item] = await see('.dd-item')
  const [term] = await see('dt')
  assert.ok(item!.left >= term!.left + 30)
  const [outer] = await see('[dir] > ul > li')
  const [deepest] = await see('.rtl-deepest')
  assert.ok(deepest!.right <= outer!.right - 30)
})

shows(
  'shows wide, full, floated and centered elements where their alignment says',
  'alignments',
  async (see, width) => {
    const [normal] = await see('.normal')
    const [wide] = await see('.wp-block-image.alignwide img')
    const [full] = await see('.wp-block-image.alignfull img')
    assert.ok(isNear(full!.width, width, 20), `full: ${full!.width}`)
    if (width === DESKTOP) assert.ok(wide!.width > normal!.width + 50 && wide!.width < full!.width)
    else assert.ok(wide!.width >= normal!.width && wide!.width <= full!.width)
    const [group] = await see('.wp-block-group.alignwide')
    assert.ok(isNear(group!.width, wide!.width), 'a wide group is as wide as a wide image')
    const [left] = await see('.alignleft')
    const [right] = await see('.alignright')
    const [afterLeft, afterRight] = await see('.beside')
    assert.ok(afterLeft!.top < left!.bottom && afterRight!.top < right!.bottom, 'text begins beside floats')
    assert.ok(isNear(left!.left, normal!.left, 2) && isNear(right!.right, normal!.right, 2))
    assert.ok((await see('.wp-block-spacer'))[0]!.top >= left!.bottom, 'a spacer is below floats')
    const [caption] = await see('.alignleft figcaption')
    assert.ok(caption!.width <= 151)
    const [center] = await see('.aligncenter img')
    assert.ok(isNear(center!.left + center!.right, normal!.left + normal!.right, 3))
  },
)

shows('shows as many gallery images in a row as the author chose', 'galleries', async (see, width) => {
  const galleries = await Promise.all([1, 2].map((at) => see(`.wp-block-gallery:nth-of-type(${at}) > .wp-block-image`)))
  assert.equal(
    galleries.map(rows),
    width === PHONE
      ? [
          [2, 1],
          [2, 2, 1],
        ]
      : [[3], [2, 2, 1]],
  )
  const old = await Promise.all([5, 2].map((number) => see(`.columns-${number} > .blocks-gallery-item`)))
  assert.equal(
    old.map(rows),
    width === PHONE
      ? [
          [2, 2, 1],
          [2, 1],
        ]
      : [[5], [2, 1]],
  )
})

shows('keeps captions within the column, beside their text if floated', 'captions', async (see, width) => {
  const [broad, floated] = await see('.wp-caption')
  const [text] = await see('.entry-content > p:last-of-type, p:last-of-type')
  assert.ok(broad!.right <= width && isNear(broad!.width, Math.min(1200, text!.width), 2), `${broad!.width}`)
  assert.is(floated!.style['float'], 'right')
  assert.ok(isNear(floated!.width, 150))
})

shows('shows drop caps, alignments and classic elements', 'paragraphs', async (see, _width, page) => {
  const lines = await page.evaluate<number[]>(`(() => {
    const text = document.querySelector('.has-drop-cap').firstChild
    const range = document.createRange()
    range.setStart(text, 1)
    range.setEnd(text, text.length)
    const rects = [...range.getClientRects()]
    const left = Math.min(...rects.map((rect) => rect.left))
    return rects.map((rect) => Math.round(rect.left - left))
  })()`)
  const indented = lines.findIndex((indent) => indent < 10)
  assert.ok(indented === 3 || indented === 4, `${indented} lines beside the drop cap`)
  const [first] = await see('.has-drop-cap')
  for (const one of await see('.inline, address, dl, pre, blockquote, h1, h2, h3, h4, h5, h6'))
    assert.ok(isNear(one.left, first!.left), `${one.left} is ${first!.left}: the left edge of all elements`)
  const [right] = await see('.has-text-align-right')
  assert.ok(isNear((await see('.has-text-align-right span'))[0]!.right, right!.right, 2))
  const [rtl] = await see('.rtl')
  assert.ok(isNear((await see('.rtl span'))[0]!.right, rtl!.right, 2))
  const sizes = (await see('h1, h2, h3, h4, h5, h6')).map(({ style }) => Number.parseFloat(style['fontSize']!))
  assert.equal(
    sizes,
    sizes.toSorted((a, b) => b - a),
    'headings get smaller',
  )
  const [line] = await see('.inline')
  const size = Number.parseFloat(line!.style['fontSize']!)
  for (const tag of ['sub', 'sup', 'small']) {
    const [one] = await see(tag)
    assert.ok(Number.parseFloat(one!.style['fontSize']!) < size, tag)
  }
  for (const tag of ['del', 's', 'strike'])
    assert.is((await see(tag))[0]!.style['textDecorationLine'], 'line-through', tag)
  assert.ok((await see('dd'))[0]!.left > (await see('dt'))[0]!.left)
})

shows('gives buttons the share of the row that the author chose', 'buttons', async (see) => {
  const [row] = await see('.wp-block-buttons')
  const buttons = await see('.wp-block-button__link')
  assert.equal(
    [25, 50, 75, 100].map((share, at) => isNear(buttons[at]!.width / row!.width, share / 100, 0.07)),
    [true, true, true, true],
    buttons.map(({ width }) => width / row!.width).join(),
  )
  assert.ok(buttons[0]!.right < buttons[1]!.left && buttons[1]!.bottom < buttons[2]!.top)
})

shows('scrolls tables that are wider than their column', 'tables', async (see, _width, page) => {
  const [narrow, broad] = await see('.wp-block-table')
  assert.ok(isNear(narrow!.width, broad!.width))
  const scrolls = await page.evaluate(
    `[...document.querySelectorAll('.wp-block-table')].map((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'auto')`,
  )
  assert.equal(scrolls, [false, true])
})

shows(
  'places media beside text, content in covers, and frames with their aspect ratio',
  'media',
  async (see, width) => {
    for (const [className, isLeft] of [
      ['left-media', true],
      ['right-media', false],
    ] as const) {
      const [media] = await see(`.${className} figure`)
      const [text] = await see(`.${className} .wp-block-media-text__content`)
      if (width === PHONE) assert.ok(media!.bottom <= text!.top + 1, 'media above text')
      else assert.ok(isLeft ? media!.right <= text!.left + 1 : text!.right <= media!.left + 1, className)
    }
    const [top] = await see('.is-position-top-left')
    const [inTop] = await see('.is-position-top-left p')
    const [bottom] = await see('.is-position-bottom-right')
    const [inBottom] = await see('.is-position-bottom-right p')
    assert.ok(inTop!.top - top!.top < 60 && inTop!.left - top!.left < 60)
    assert.ok(bottom!.bottom - inBottom!.bottom < 60 && bottom!.right - inBottom!.right < 60)
    for (const ratio of RATIOS) {
      const [across, down] = ratio.split('-').map(Number) as [number, number]
      const [frame] = await see(`.wp-embed-aspect-${ratio} iframe`)
      assert.ok(isNear(frame!.width / frame!.height, across / down, 0.02), ratio)
    }
  },
)

shows('ends blocks with padding where their neighbors end', 'groups', async (see) => {
  const [normal] = await see('.normal')
  for (const name of ['group', 'details', 'quote', 'pullquote', 'code']) {
    const [one] = await see(`.wp-block-${name}`)
    assert.ok(isNear(one!.left, normal!.left) && isNear(one!.right, normal!.right), `${name}: ${one!.width}`)
  }
})

shows('shows grids, menus, titles and comment forms of templates', 'blocks', async (see, width, page) => {
  const posts = await see('.wp-block-latest-posts > li')
  assert.is(rows(posts)[0], width === PHONE ? 1 : 3)
  const [title] = await see('.wp-block-site-title')
  const [link] = await see('.wp-block-site-title a')
  assert.is(link!.style['textDecorationLine'], 'none')
  assert.is(link!.style['color'], title!.style['color'])
  const items = '.wp-block-navigation .wp-block-navigation-item'
  const isMenuShown = await page.evaluate(`document.querySelector('.entry-content ${items}').checkVisibility()`)
  assert.is(isMenuShown, width === DESKTOP)
  if (width === DESKTOP) assert.equal(rows(await see(items)), [3], 'a page list in a menu is a row')
  const [form] = await see('.comment-form')
  for (const name of ['comment', 'author', 'email', 'url']) {
    const [field] = await see(`.comment-form-${name} :is(input, textarea)`)
    const [label] = await see(`.comment-form-${name} label`)
    assert.ok(isNear(field!.width, form!.width) && label!.bottom <= field!.top, name)
  }
})

content.run()
