import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rendered } from '../../../helpers/rendered.ts'
import { serve } from '../../../helpers/site.ts'

const arrangement = suite('block arrangement')

const block = (name: string, html: string, attributes: object = {}) =>
  `<!-- wp:${name} ${JSON.stringify(attributes)} -->${html}<!-- /wp:${name} -->`

arrangement('appends layout classes to existing ones', async () => {
  await using site = await serve()
  const shown = (name: string, html: string, attributes?: object) => rendered(site, block(name, html, attributes))
  assert.is(
    await shown('buttons', '<div class="b"></div>'),
    '<div class="b is-layout-flex wp-block-buttons-is-layout-flex"></div>',
  )
  assert.is(
    await shown('group', '<div title=" class=" id="k"></div>', { layout: { type: 'constrained' } }),
    '<div class="is-layout-constrained wp-block-group-is-layout-constrained" title=" class=" id="k"></div>',
  )
  assert.match(
    await shown('buttons', '<div class="b"></div>', {
      layout: { type: 'flex', orientation: 'vertical', justifyContent: 'center', flexWrap: 'nowrap' },
    }),
    /^<div class="b is-vertical is-content-justification-center is-nowrap is-layout-flex wp-container-core-buttons-is-layout-[\da-f]{8} wp-block-buttons-is-layout-flex"><\/div>$/,
  )
  assert.is(await shown('separator', '<hr class="s"/>'), '<hr class="s"/>')
  assert.is(await shown('heading', '<h2>x</h2>'), '<h2 class="wp-block-heading">x</h2>')
  assert.is(await shown('list', '<ul class="l"></ul>'), '<ul class="l wp-block-list"></ul>')
})

const inside = block('paragraph', '<p>x</p>')

arrangement('puts layout classes on the element directly around the inner blocks', async () => {
  await using site = await serve()
  const shown = (name: string, start: string, end: string, attributes: object = {}) =>
    rendered(site, block(name, `${start}${inside}${end}`, attributes))
  const flow = (name: string) => `is-layout-flow wp-block-${name}-is-layout-flow`
  const p = '<p class="wp-block-paragraph">x</p>'
  for (const [start, tag] of [
    ['<div class="c"><span class="s"></span><div class="i">', 'div'],
    ['<div class="c"><img src="/a.png" alt="a > b"><hr><br/><div class="i">', 'div'],
    ['<section class="c"><!-- </section><div> --><figure class="i">', 'figure'],
  ] as const) {
    const end = `</${tag}></${start.startsWith('<div') ? 'div' : 'section'}>`
    const html = await shown('group', start, end)
    assert.ok(html.includes(`class="i ${flow('group')}">${p}`), html)
    assert.ok(/class="c"/.test(html), html)
  }
  const cover = await shown('cover', '<div class="c"><div class="i">', '</div></div>', { minHeight: 274 })
  assert.is(cover, `<div style="aspect-ratio:unset;" class="c"><div class="i ${flow('cover')}">${p}</div></div>`)
  const [start, end] = ['<div class="c" style="min-height:274px"><div>', '</div></div>']
  assert.match(
    await shown('cover', start, end, { minHeight: 274 }),
    /^<div class="c" style="min-height:274px;aspect-ratio:unset;">/,
  )
  assert.is(await shown('group', '<div class="g">', '</div>'), `<div class="g ${flow('group')}">${p}</div>`)
  // Without inner blocks, the outermost element is the only one that surely contains them.
  assert.match(
    await rendered(site, block('cover', '<div class="c"><div class="i"></div></div>')),
    /^<div class="c is-layout-flow/,
  )
})

arrangement(
  'gives single settings of a layout from the attribute only, and rules to custom gaps and paddings',
  async () => {
    await using site = await serve()
    const shown = (name: string, attributes: object) => rendered(site, block(name, '<div class="b"></div>', attributes))
    assert.match(
      await shown('columns', {}),
      /^<div class="b is-layout-flex wp-container-core-columns-is-layout-[\da-f]{8} /,
    )
    assert.match(
      await shown('columns', { layout: { type: 'flex', flexWrap: 'nowrap' } }),
      /^<div class="b is-nowrap is-layout-flex wp-container-/,
    )
    for (const [spacing, has] of [
      [{ padding: { left: '1px' } }, true],
      [{ padding: { top: '1px' } }, false],
      [{ margin: { left: '1px' } }, false],
      [{ blockGap: '3em' }, true],
    ] as const) {
      const html = await shown('group', { style: { spacing }, layout: { type: 'constrained' } })
      assert.is(html.includes('wp-container-core-group-is-layout-'), has, JSON.stringify(spacing))
    }
  },
)

arrangement('numbers galleries and style variations with styles within a post', async () => {
  await using site = await serve()
  const button = (style: string) => block('button', '<div class="b"></div>', { className: `x is-style-${style}` })
  assert.is(
    await rendered(
      site,
      block('gallery', '<figure class="g"></figure>') + button('outline') + button('fill') + button('outline'),
    ),
    '<figure class="g wp-block-gallery-1 is-layout-flex wp-block-gallery-is-layout-flex"></figure>' +
      '<div class="b is-style-outline--2"></div><div class="b"></div><div class="b is-style-outline--3"></div>',
  )
})

arrangement('puts no attribute values into classes, and handles hostile content', async () => {
  await using site = await serve()
  const evil = '"><script>x</script>'
  const html = await rendered(
    site,
    block('group', '<div class="g"></div>', {
      layout: { type: evil, orientation: evil, justifyContent: evil, flexWrap: evil, contentSize: evil },
    }),
  )
  assert.match(
    html,
    /^<div class="g is-layout-constrained wp-container-core-group-is-layout-[\da-f]{8} wp-block-group-is-layout-constrained"><\/div>$/,
  )
  const start = performance.now()
  for (const part of ['<', '<a class', '<img', '</div>', ' class="', '<!-- wp:group -->', '<p title="'])
    await rendered(site, block('group', part.repeat(50_000)))
  assert.ok(performance.now() - start < 5000)
})

arrangement.run()
