import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rendered } from '../../../helpers/rendered.ts'
import { serve, startOnly } from '../../../helpers/site.ts'

startOnly('content-rendering', 'core-blocks')

const supports = suite('block supports')

const tagline = (attributes: object) => `<!-- wp:site-tagline ${JSON.stringify(attributes)} /-->`
const tag = (html: string) => /^<[^>]*>/.exec(html)?.[0]

/** Attributes, and the resulting tag. */
const CASES: readonly (readonly [attributes: object, tag: string])[] = [
  [{}, '<p class="wp-block-site-tagline">'],
  [{ className: 'mine two' }, '<p class="mine two wp-block-site-tagline">'],
  [{ align: 'wide' }, '<p class="alignwide wp-block-site-tagline">'],
  [{ align: 'left' }, '<p class="wp-block-site-tagline">'],
  [{ anchor: 'here' }, '<p class="wp-block-site-tagline" id="here">'],
  [{ textColor: 'vividRed' }, '<p class="wp-block-site-tagline has-text-color has-vivid-red-color">'],
  [{ backgroundColor: 'base' }, '<p class="wp-block-site-tagline has-background has-base-background-color">'],
  [{ gradient: 'dawn' }, '<p class="wp-block-site-tagline has-background has-dawn-gradient-background">'],
  [{ fontSize: 'large' }, '<p class="wp-block-site-tagline has-large-font-size">'],
  [{ fontFamily: 'body' }, '<p class="wp-block-site-tagline has-body-font-family">'],
  [{ borderColor: 'base' }, '<p class="wp-block-site-tagline has-border-color has-base-border-color">'],
  [{ style: { color: { text: '#f00' } } }, '<p style="color:#f00;" class="wp-block-site-tagline has-text-color">'],
  [
    { style: { color: { background: 'var:preset|color|base' } } },
    '<p style="background-color:var(--wp--preset--color--base);" class="wp-block-site-tagline has-background">',
  ],
  [
    { style: { spacing: { padding: { top: '1px', left: 'var:preset|spacing|20' }, margin: '0' } } },
    '<p style="padding-top:1px;padding-left:var(--wp--preset--spacing--20);margin:0;" class="wp-block-site-tagline">',
  ],
  [
    { style: { typography: { lineHeight: '1.5', textAlign: 'center' } } },
    '<p style="line-height:1.5;" class="wp-block-site-tagline has-text-align-center">',
  ],
  [
    { style: { border: { radius: { topLeft: '2px' }, width: '1px' } } },
    '<p style="border-top-left-radius:2px;border-width:1px;" class="wp-block-site-tagline">',
  ],
  [{ style: { dimensions: { minHeight: '5px' } } }, '<p class="wp-block-site-tagline">'],
]

supports('are rendered as classes and styles', async () => {
  await using site = await serve()
  await site.kernel.services.options.set('description', 'Words')
  for (const [attributes, expected] of CASES) assert.is(tag(await rendered(site, tagline(attributes))), expected)
})

supports('render no unsafe values of attributes', async () => {
  await using site = await serve()
  await site.kernel.services.options.set('description', 'Words')
  const all = (evil: unknown): object => ({
    className: evil,
    align: evil,
    anchor: evil,
    ariaLabel: evil,
    textColor: evil,
    backgroundColor: evil,
    gradient: evil,
    fontSize: evil,
    fontFamily: evil,
    borderColor: evil,
    style: {
      color: { text: evil, background: evil, gradient: evil },
      typography: { fontSize: evil, lineHeight: evil, textAlign: evil },
      spacing: { padding: evil, margin: { top: evil } },
      border: { width: evil, radius: { topLeft: evil }, top: { color: evil } },
    },
  })
  const evils = [
    '"><script>x()</script>',
    "' onclick=x() '",
    'red;}</style><img src=x onerror=x()>',
    'url(javascript:x())',
    'expression(x())',
    5,
    null,
    [],
    { a: 1 },
    '__proto__',
  ]
  for (const evil of evils) {
    const html = await rendered(site, tagline(all(evil)))
    assert.match(html, /^<p(?: (?:class|style|id|aria-label)="[^"<>]*")*>Words<\/p>$/)
    assert.not.match(html, /style="[^"]*(?:javascript|expression|[{}])/)
  }
})

supports.run()
