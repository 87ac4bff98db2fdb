import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { useChromium } from '../../helpers/chromium.ts'
import { styleSheet } from '../../../plugins/design/global-styles/css.ts'

const looks = suite('looks of core blocks')
const { inBrowser, openWindow } = useChromium(looks)

const GALLERY = `<figure class="wp-block-gallery columns-3 is-cropped"><ul class="blocks-gallery-grid">${'<li class="blocks-gallery-item"><figure><img alt=""><figcaption>A</figcaption></figure></li>'.repeat(3)}</ul></figure>`
const NESTED = `<figure class="wp-block-gallery has-nested-images columns-2 is-layout-flex">${'<figure class="wp-block-image"><img alt=""><figcaption>A</figcaption></figure>'.repeat(2)}</figure>`

/** HTML of a block, and the values of properties of its elements, as the recorded site shows them at 20 px font size. */
const EXPECTED: readonly (readonly [html: string, selector: string, values: Readonly<Record<string, string>>])[] = [
  [GALLERY, 'li', { display: 'flex', position: 'relative' }],
  [GALLERY, 'figcaption', { position: 'absolute', fontSize: '16px', color: 'rgb(255, 255, 255)' }],
  [NESTED, 'figure figure', { display: 'flex', width: '295px' }],
  [NESTED, 'figcaption', { fontSize: '13px', textAlign: 'center', padding: '13px' }],
  [
    '<figure class="wp-block-table"><table><tr><td>A</table></figure>',
    'td',
    { padding: '10px', borderTopWidth: '1px' },
  ],
  ['<hr class="wp-block-separator">', 'hr', { borderTopStyle: 'solid', borderLeftWidth: '0px', width: '600px' }],
  ['<p class="wp-block-tag-cloud"><a href="/x">A</a></p>', 'a', { display: 'inline-block' }],
  [
    '<div class="wp-block-file"><a href="/x" class="wp-block-file__button">Download</a></div>',
    'a',
    { fontSize: '16px', borderTopLeftRadius: '32px', padding: '8px 16px' },
  ],
  [
    '<ul class="wp-block-social-links"><li class="wp-block-social-link wp-social-link-wordpress"><a href="/x" class="wp-block-social-link-anchor">A</a></ul>',
    'li',
    { backgroundColor: 'rgb(52, 153, 205)', color: 'rgb(255, 255, 255)', fontSize: '24px' },
  ],
  [
    '<div class="wp-block-cover has-background-dim"><p class="wp-block-cover-text">A</p></div>',
    'p',
    { fontSize: '40px', textAlign: 'center', color: 'rgb(255, 255, 255)' },
  ],
]

inBrowser('have the sizes, borders and colors of the recorded site', async () => {
  await using window = await openWindow()
  for (const [html, selector, values] of EXPECTED) {
    await window.page.setContent(`${styled('')}<body style="font-size:20px;width:600px">${html}`)
    assert.equal(await computed(window.page, selector, Object.keys(values)), values, html)
  }
})

inBrowser('give way to every rule of a theme, of any specificity', async () => {
  await using window = await openWindow()
  const theme = 'td { padding: 1px } li { border-radius: 2px } hr { border: 5px dotted } a { padding: 3px }'
  const html =
    '<figure class="wp-block-table"><table><tr><td>A</table></figure><hr class="wp-block-separator">' +
    '<ul class="wp-block-social-links"><li class="wp-block-social-link"></ul>' +
    '<div class="wp-block-file"><a class="wp-block-file__button" href="/x">A</a></div>'
  await window.page.setContent(`${styled(theme)}<body>${html}`)
  const { page } = window
  assert.equal(await computed(page, 'td', ['padding']), { padding: '1px' })
  assert.equal(await computed(page, 'li', ['borderTopLeftRadius']), { borderTopLeftRadius: '2px' })
  assert.equal(await computed(page, 'hr', ['borderTopStyle']), { borderTopStyle: 'dotted' })
  assert.equal(await computed(page, 'a', ['padding']), { padding: '3px' })
})

inBrowser('open tabs, items of accordions and images without scripts', async () => {
  await using window = await openWindow()
  const { page } = window
  const visible = async (...selectors: string[]) =>
    Promise.all(selectors.map((selector) => page.locator(selector).isVisible()))
  await page.setContent(
    `${styled('')}<body><div class="wp-block-tabs"><div class="wp-block-tab-list"><a href="#a" class="wp-block-tab-list__tab is-active">A</a>` +
      '<a href="#b" class="wp-block-tab-list__tab">B</a></div><div class="wp-block-tab-panels">' +
      '<section id="a" class="wp-block-tab-panel is-active">First</section>' +
      '<section id="b" class="wp-block-tab-panel">Second<h3 id="deep">Deep</h3></section></div></div>',
  )
  const line = async (at: number) =>
    (await computed(page, `a:nth-child(${at})`, ['borderBottomColor']))['borderBottomColor']
  assert.equal(await visible('#a', '#b'), [true, false])
  assert.is.not(await line(1), await line(2))
  await page.locator('a[href="#b"]').click()
  assert.equal(await visible('#a', '#b'), [false, true])
  assert.equal([await line(1), (await line(2)) !== (await line(1))], ['rgba(0, 0, 0, 0)', true])
  const item = (name: string) =>
    `<details class="wp-block-accordion-item" name="group"><summary class="wp-block-accordion-heading__summary">${name}</summary><p id="${name}">Text</p></details>`
  await page.setContent(`${styled('')}<body>${item('one')}${item('two')}`)
  await page.locator('summary').nth(0).click()
  assert.equal(await visible('#one', '#two'), [true, false])
  await page.locator('summary').nth(1).click()
  assert.equal(await visible('#one', '#two'), [false, true])
  await page.setContent(
    `${styled('')}<body><figure class="wp-block-image wp-lightbox-container" style="width:200px;height:200px"><img alt="">` +
      '<button type="button" class="lightbox-trigger" popovertarget="large">+</button>' +
      '<div popover id="large" class="wp-lightbox-overlay"><button type="button" class="wp-lightbox-close-button" popovertarget="large" popovertargetaction="hide">x</button><img alt="A"></div></figure>',
  )
  assert.equal(await visible('#large'), [false])
  await page.locator('.lightbox-trigger').click()
  assert.equal(await visible('#large'), [true])
  const { width, height } = (await page.locator('#large').boundingBox())!
  assert.equal({ width, height }, page.viewportSize())
  await page.keyboard.press('Escape')
  assert.equal(await visible('#large'), [false])
  await page.locator('.lightbox-trigger').click()
  await page.mouse.click(5, 5)
  assert.equal(await visible('#large'), [false])
})

function styled(theme: string): string {
  return `<!doctype html><style>${styleSheet({}, 'wp')}</style><style>${theme}</style>`
}

type Page = Awaited<ReturnType<typeof openWindow>>['page']

async function computed(page: Page, selector: string, properties: readonly string[]): Promise<Record<string, string>> {
  const script = `(() => {
    const style = getComputedStyle(document.querySelector(${JSON.stringify(selector)}))
    return Object.fromEntries(${JSON.stringify(properties)}.map((name) => [name, style[name]]))
  })()`
  return page.evaluate(script)
}

looks.run()
