import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SOCIAL_SERVICES } from '../../../../plugins/rendering/core-blocks/index.ts'
import { rendered } from '../../../helpers/rendered.ts'
import { serve } from '../../../helpers/site.ts'

const links = suite('social links')

/** Services whose links are not of a brand. */
const NEUTRAL = ['chain', 'feed', 'mail', 'share']

links('show the shape and the name of every service, with its color in the style sheet', async () => {
  await using site = await serve()
  const css = await site.kernel.services.globalStyles.css()
  const keys = [...SOCIAL_SERVICES.keys()]
  const inside = keys.map((service) => `<!-- wp:social-link {"url":"https://a.test/","service":"${service}"} /-->`)
  const html = await rendered(site, `<!-- wp:social-links --><ul>${inside.join('')}</ul><!-- /wp:social-links -->`)
  const items = html.match(/<li .*?<\/li>/gs)!
  assert.is(items.length, keys.length)
  const shapes = new Set<string>()
  for (const [at, [service, { name, color }]] of [...SOCIAL_SERVICES].entries()) {
    const [, shape = ''] = /<path d="([Mm][\d\sa-zA-Z.,-]{20,})">/.exec(items[at]!) ?? []
    assert.ok(shape.length > 0, service)
    shapes.add(shape)
    assert.match(items[at]!, `>${name}</span>`)
    const rule = new RegExp(`\\.wp-social-link-${service} \\{ --service: #([\\da-f]{3,6}); --on-service: #`).exec(css)
    assert.is(rule?.[1] ?? null, color, service)
    assert.is(color === null, NEUTRAL.includes(service), service)
  }
  assert.is(shapes.size, keys.length)
})

links('show the shape of a link for a service that is not listed', async () => {
  await using site = await serve()
  const html = await rendered(
    site,
    '<!-- wp:social-links --><ul><!-- wp:social-link {"url":"https://a.test/","service":"garden"} /--></ul><!-- /wp:social-links -->',
  )
  assert.match(html, `<path d="${SOCIAL_SERVICES.get('chain')!.path}">`)
  assert.match(html, '>Garden</span>')
})

links.run()
