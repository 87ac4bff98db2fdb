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
