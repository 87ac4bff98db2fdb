import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rendered } from '../../../helpers/rendered.ts'
import { serve } from '../../../helpers/site.ts'

const colors = suite('colors of blocks')

const custom = (color: object) => ({ style: { color } })

/** Attributes, and the classes and declarations of the colored element. Gradients need a support of the type. */
const SUPPORTED = [
  [{ textColor: 'accent-1' }, ['has-text-color', 'has-accent-1-color'], ''],
  [{ backgroundColor: 'base' }, ['has-background', 'has-base-background-color'], ''],
  [custom({ text: '#112233' }), ['has-text-color'], 'color:#112233'],
  [custom({ background: '#445566' }), ['has-background'], 'background-color:#445566'],
  [
    { textColor: 'accent-1', ...custom({ background: '#445566' }) },
    ['has-text-color', 'has-accent-1-color', 'has-background'],
    'background-color:#445566',
  ],
  [custom({ text: '' }), [], ''],
] as const
const GRADIENTS = [
  [{ gradient: 'dawn' }, ['has-background', 'has-dawn-gradient-background'], ''],
  [custom({ gradient: 'linear-gradient(#111,#222)' }), ['has-background'], 'background:linear-gradient(#111,#222)'],
] as const

/** The blocks, the element that they color, and the attributes of a preset and a custom text and background. */
const BLOCKS = [
  ['search', {}, /<button [^>]*>/, [...SUPPORTED, ...GRADIENTS]],
  ['icon', { icon: 'core/plus' }, /<svg [^>]*>/, [...SUPPORTED, [GRADIENTS[0][0], [], '']]],
  ['read-more', {}, /<a [^>]*>/, [...SUPPORTED, ...GRADIENTS]],
  ['site-title', {}, /<h1 [^>]*>/, [...SUPPORTED, ...GRADIENTS]],
  [
    'navigation',
    { overlayMenu: 'never' },
    /<nav [^>]*>/,
    [
      SUPPORTED[0],
      SUPPORTED[1],
      [{ customTextColor: '#112233' }, ['has-text-color'], 'color:#112233'],
      [{ customBackgroundColor: '#445566' }, ['has-background'], 'background-color:#445566'],
    ],
  ],
  [
    'social-links',
    {},
    /<li [^>]*>/,
    [
      [{ iconColor: 'base', iconColorValue: '#112233' }, ['has-base-color'], 'color:#112233'],
      [{ iconColorValue: '#112233' }, [], 'color:#112233'],
      [
        { iconBackgroundColor: 'base', iconBackgroundColorValue: '#445566' },
        ['has-base-background-color'],
        'background-color:#445566',
      ],
    ],
  ],
] as const

const INSIDE: Readonly<Record<string, string>> = {
  navigation: '<!-- wp:home-link /-->',
  'social-links': '<!-- wp:social-link {"url":"https://a.test/","service":"chain"} /-->',
}

for (const [name, base, element, lines] of BLOCKS)
  colors(`give ${name} the classes of presets and of custom colors`, async () => {
    await using site = await serve()
    for (const [attributes, classes, style] of lines) {
      const values = JSON.stringify({ ...base, ...attributes })
      const html = await rendered(site, `<!-- wp:${name} ${values} -->${INSIDE[name] ?? ''}<!-- /wp:${name} -->`)
      const tag = element.exec(html)?.[0] ?? ''
      assert.is.not(tag, '', html)
      const found = (/class="([^"]*)"/.exec(tag)?.[1] ?? '').split(/\s+/)
      const colored = found.filter((one) => /^has-.*(?:color|background)$/.test(one))
      assert.equal(colored.toSorted(), [...classes].toSorted(), `${name} ${values}`)
      const declared = (/style="([^"]*)"/.exec(tag)?.[1] ?? '').replace(/:\s+/g, ':').replace(/,\s+/g, ',')
      assert.is(declared.includes(style), true, `${name} ${values}: ${declared}`)
      if (style === '') assert.not.match(declared, /color|gradient/)
    }
  })

colors.run()
